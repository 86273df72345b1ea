// The schemas as they were written, comments included, as bytes of the binary.
// (Descriptors in generated code have lost their comments.)
#ifndef MULLIGAN_PROTO_EMBEDDED_SCHEMAS_H_
#define MULLIGAN_PROTO_EMBEDDED_SCHEMAS_H_

// A serialized google.protobuf.FileDescriptorSet: every schema of this
// repository and what it imports, imports first.
extern "C" const char mulligan_schemas[];
extern "C" const char mulligan_schemas_end[];

#endif  // MULLIGAN_PROTO_EMBEDDED_SCHEMAS_H_
