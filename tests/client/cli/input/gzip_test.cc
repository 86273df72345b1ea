// Compressed inputs: whole, in members, damaged, and too large.
#include "client/cli/input/gzip.h"

#include <zlib.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMaxBytes = 1 << 20;

std::string Gzip(std::string text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                         Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

TEST(Gunzip, RoundTrips) {
  const std::string text(200'000, 'x');
  const std::string bytes = Gzip(text);
  EXPECT_TRUE(IsGzip(bytes));
  EXPECT_FALSE(IsGzip(text));
  ASSERT_OK_AND_ASSIGN(const std::string back, Gunzip(bytes, kMaxBytes));
  EXPECT_EQ(back, text);
}

TEST(Gzip, NamesOtherDecompressors) {
  EXPECT_EQ(OtherDecompressor("\x28\xb5\x2f\xfd rest"), "zstd -dc");
  EXPECT_EQ(OtherDecompressor(std::string("\xfd\x37zXZ\0rest", 10)), "xz -dc");
  EXPECT_EQ(OtherDecompressor("BZh91AY"), "bzip2 -dc");
  for (const std::string& none :
       {Gzip("a"), std::string("{}"), std::string()}) {
    EXPECT_EQ(OtherDecompressor(none), "");
  }
}

TEST(Gunzip, ReadsConcatenatedMembers) {
  ASSERT_OK_AND_ASSIGN(const std::string back,
                       Gunzip(Gzip("a") + Gzip("b"), kMaxBytes));
  EXPECT_EQ(back, "ab");
}

TEST(Gunzip, RejectsDamagedOrLargeInput) {
  const std::string bytes = Gzip("{\"kind\": \"Pod\"}");
  for (const std::string& damaged :
       {bytes.substr(0, bytes.size() - 4), bytes.substr(0, 12)}) {
    EXPECT_THAT(Gunzip(damaged, kMaxBytes).status().message(),
                HasSubstr("damaged or cut off"));
  }
  EXPECT_THAT(Gunzip(bytes + "tail", kMaxBytes).status().message(),
              HasSubstr("has 4 bytes behind the end of the gzip"));
  EXPECT_THAT(Gunzip(Gzip(std::string(3 * kMaxBytes, ' ')), kMaxBytes)
                  .status()
                  .message(),
              HasSubstr("larger than 1 MiB when decompressed"));
}

}  // namespace
}  // namespace mulligan::cli
