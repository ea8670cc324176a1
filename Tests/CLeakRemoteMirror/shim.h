#pragma once
#include <stdint.h>

// The part of libswiftRemoteMirror that the tests call, for a toolchain without its headers. The library is opened at run time.
// Sources: include/swift/SwiftRemoteMirror/SwiftRemoteMirror.h, SwiftRemoteMirrorTypes.h, MemoryReaderInterface.h.

typedef void *cmirror_context;

// swift_layout_kind_t, in its order.
enum cmirror_kind {
    cmirror_unknown, cmirror_builtin, cmirror_raw_pointer, cmirror_tuple, cmirror_struct, cmirror_enum_without_payload,
    cmirror_enum_with_one_payload, cmirror_enum_with_payloads, cmirror_function, cmirror_opaque_existential,
    cmirror_class_existential, cmirror_error_existential, cmirror_existential_metatype, cmirror_strong, cmirror_unowned,
    cmirror_weak, cmirror_unmanaged, cmirror_class_instance, cmirror_closure_context
};

// swift_typeinfo_t
struct cmirror_type {
    uint32_t kind, size, alignment, stride, field_count;
};

// swift_childinfo_t. The name belongs to the context.
struct cmirror_child {
    const char *name;
    uint32_t offset, kind;
    uint64_t type;
};

// swift_reflection_section_pair_t
struct cmirror_section {
    const void *begin, *end;
    uint64_t offset;
};

// swift_reflection_info_t
struct cmirror_image {
    struct cmirror_section fields, associated_types, builtin_types, captures, type_references, strings;
    uint64_t local_start, remote_start;
};

typedef void (*cmirror_free_bytes)(void *reader, const void *bytes, void *context);
typedef const void *(*cmirror_read_bytes)(void *reader, uint64_t address, uint64_t size, void **context);
typedef uint64_t (*cmirror_string_length)(void *reader, uint64_t address);
typedef uint64_t (*cmirror_symbol_address)(void *reader, const char *name, uint64_t length);

// swift_reflection_createReflectionContext
typedef cmirror_context (*cmirror_create)(
    void *reader, uint8_t pointer_size, cmirror_free_bytes, cmirror_read_bytes, cmirror_string_length,
    cmirror_symbol_address);
// swift_reflection_addReflectionInfo
typedef void (*cmirror_add_image)(cmirror_context, struct cmirror_image);
// swift_reflection_infoForMetadata, swift_reflection_childOfMetadata
typedef struct cmirror_type (*cmirror_metadata_info)(cmirror_context, uintptr_t metadata);
typedef struct cmirror_child (*cmirror_metadata_child)(cmirror_context, uintptr_t metadata, unsigned index);
// swift_reflection_infoForTypeRef, swift_reflection_childOfTypeRef
typedef struct cmirror_type (*cmirror_type_info)(cmirror_context, uint64_t type);
typedef struct cmirror_child (*cmirror_type_child)(cmirror_context, uint64_t type, unsigned index);
