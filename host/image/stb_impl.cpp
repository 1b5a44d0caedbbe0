#include "host/image/stb_impl.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

thread_local std::size_t largest_allocation = SIZE_MAX;

/// Zeroed: stb reads tables that a broken JPEG has not given.
void* limited_malloc(std::size_t bytes) { return bytes > largest_allocation ? nullptr : std::calloc(1, bytes); }

/// On refusal the old block stays with stb, which frees it.
void* limited_realloc(void* block, std::size_t bytes) {
  return bytes > largest_allocation ? nullptr : std::realloc(block, bytes);
}

/// stb copies zero bytes to a null pointer for an empty IDAT chunk, which is undefined for memcpy.
void* copy_bytes(void* to, const void* from, std::size_t bytes) {
  return bytes == 0 ? to : std::memcpy(to, from, bytes);
}

}  // namespace

namespace qa {

AllocationLimit::AllocationLimit(std::size_t bytes) : previous_(largest_allocation) { largest_allocation = bytes; }
AllocationLimit::~AllocationLimit() { largest_allocation = previous_; }

}  // namespace qa

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"

#define memcpy copy_bytes
#define STBI_MALLOC(bytes) limited_malloc(bytes)
#define STBI_REALLOC(block, bytes) limited_realloc(block, bytes)
#define STBI_FREE(block) std::free(block)
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_FAILURE_STRINGS
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#pragma GCC diagnostic pop
