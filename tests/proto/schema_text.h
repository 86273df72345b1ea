// Schemas written as text in a test.
#ifndef MULLIGAN_TESTS_PROTO_SCHEMA_TEXT_H_
#define MULLIGAN_TESTS_PROTO_SCHEMA_TEXT_H_

#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace mulligan::testing {

// The descriptors protoc would write for a file with this content, JSON names
// and source locations included. Fails the running test when the text is no
// valid schema; it may import nothing.
inline google::protobuf::FileDescriptorSet ParseSchema(std::string_view text) {
  google::protobuf::io::ArrayInputStream input(text.data(),
                                               static_cast<int>(text.size()));
  google::protobuf::io::Tokenizer tokenizer(&input, nullptr);
  google::protobuf::compiler::Parser parser;
  google::protobuf::FileDescriptorProto parsed;
  EXPECT_TRUE(parser.Parse(&tokenizer, &parsed)) << text;
  parsed.set_name("test.proto");
  // Only a built file has resolved types and JSON names.
  google::protobuf::DescriptorPool pool;
  const auto* built = pool.BuildFile(parsed);
  EXPECT_NE(built, nullptr) << text;
  google::protobuf::FileDescriptorSet set;
  if (built != nullptr) {
    built->CopyTo(set.add_file());
    built->CopyJsonNameTo(set.mutable_file(0));
    *set.mutable_file(0)->mutable_source_code_info() =
        parsed.source_code_info();
  }
  return set;
}

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_PROTO_SCHEMA_TEXT_H_
