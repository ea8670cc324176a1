#pragma once
#include <stddef.h>
#include <stdint.h>

// Exported by the Swift runtime (stdlib/public/runtime/Demangle.cpp) and declared in none of its headers.
// The result is allocated with malloc and belongs to the caller. It is NULL if `name` is not a mangled name.
extern char *swift_demangle(
    const char *name, size_t length, char *buffer, size_t *bufferSize, uint32_t flags);

// Functions with which RetainPaths reads objects. No header of a toolchain declares them, and several of them use Swift's
// calling convention. They are weak, so that a program starts without them. The functions below then return 0, NULL or
// false; the functions for fields may be called only if `cswift_can_reflect` returns true. A weak reference works in dynamic
// builds and with -static-stdlib, where dlsym finds nothing.
#define CSWIFT_CONVENTION __attribute__((swiftcall))
#define CSWIFT_WEAK __attribute__((weak))

// SwiftShims/Reflection.h: _FieldReflectionMetadata.
struct cswift_field {
    const char *name;
    void (*free_name)(const char *);
    _Bool is_strong;
    _Bool is_variable;
};

// include/swift/ABI/Metadata.h: MetadataResponse.
struct cswift_metadata_response {
    const void *metadata;
    size_t state;
};

// stdlib/public/runtime/ReflectionMirror.cpp
extern intptr_t swift_reflectionMirror_recursiveCount(const void *type) CSWIFT_CONVENTION CSWIFT_WEAK;
extern const void *swift_reflectionMirror_recursiveChildMetadata(
    const void *type, intptr_t index, struct cswift_field *field) CSWIFT_CONVENTION CSWIFT_WEAK;
extern intptr_t swift_reflectionMirror_recursiveChildOffset(
    const void *type, intptr_t index) CSWIFT_CONVENTION CSWIFT_WEAK;
// stdlib/public/runtime/Metadata.cpp
extern struct cswift_metadata_response swift_getTupleTypeMetadata(
    size_t request, size_t flags, const void *const *elements, const char *labels,
    const void *witnesses) CSWIFT_CONVENTION CSWIFT_WEAK;
// stdlib/public/runtime/HeapObject.cpp
extern size_t swift_retainCount(void *object) CSWIFT_WEAK;
// stdlib/public/Concurrency/Debug.h
extern const void *const _swift_concurrency_debug_asyncTaskSlabMetadata CSWIFT_WEAK;
// The Blocks runtime: Block_private.h
extern void *_NSConcreteMallocBlock[32] CSWIFT_WEAK;

// Returns true if the runtime has all functions with which layouts are computed.
static inline _Bool cswift_can_reflect(void) {
    return swift_reflectionMirror_recursiveCount && swift_reflectionMirror_recursiveChildMetadata
        && swift_reflectionMirror_recursiveChildOffset;
}
static inline intptr_t cswift_field_count(const void *type) { return swift_reflectionMirror_recursiveCount(type); }
static inline const void *cswift_field_type(const void *type, intptr_t index, struct cswift_field *field) {
    return swift_reflectionMirror_recursiveChildMetadata(type, index, field);
}
static inline intptr_t cswift_field_offset(const void *type, intptr_t index) {
    return swift_reflectionMirror_recursiveChildOffset(type, index);
}
// `request` 0 asks for complete metadata; the flags of a tuple without labels are its number of elements.
static inline const void *cswift_tuple_metadata(const void *const *elements, size_t count) {
    if (!swift_getTupleTypeMetadata) { return NULL; }
    return swift_getTupleTypeMetadata(0, count, elements, NULL, NULL).metadata;
}
static inline size_t cswift_retain_count(void *object) {
    return swift_retainCount ? swift_retainCount(object) : 0;
}
// Returns 0 in a program without Swift concurrency.
static inline uintptr_t cswift_task_slab_metadata(void) {
    const void *const *address = &_swift_concurrency_debug_asyncTaskSlabMetadata;
    return address ? (uintptr_t)*address : 0;
}
// Returns 0 in a program without blocks.
static inline uintptr_t cswift_heap_block_class(void) { return (uintptr_t)&_NSConcreteMallocBlock; }
