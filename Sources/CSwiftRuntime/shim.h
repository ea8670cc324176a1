#pragma once
#include <stddef.h>
#include <stdint.h>

// Exported by the Swift runtime (stdlib/public/runtime/Demangle.cpp) and declared in none of its headers.
// The result is allocated with malloc and belongs to the caller; NULL when `name` is not a mangled name.
extern char *swift_demangle(
    const char *name, size_t length, char *buffer, size_t *bufferSize, uint32_t flags);
