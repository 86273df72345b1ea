// The schemas with their comments, embedded in the binary. Descriptors in
// generated code have no comments.
#ifndef MULLIGAN_PROTO_EMBEDDED_SCHEMAS_H_
#define MULLIGAN_PROTO_EMBEDDED_SCHEMAS_H_

// A serialized google.protobuf.FileDescriptorSet of every schema of this
// repository and its imports, imports first.
extern "C" const char mulligan_schemas[];
extern "C" const char mulligan_schemas_end[];

#endif  // MULLIGAN_PROTO_EMBEDDED_SCHEMAS_H_
