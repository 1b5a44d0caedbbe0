# What reads bytes from outside, each with the few sources that it needs.
add_compile_options(-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -O1 -g1)
add_link_options(-fsanitize=fuzzer,address,undefined)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
find_library(LIBDEFLATE NAMES libdeflate.a deflate REQUIRED)
find_path(STB_INCLUDE stb/stb_image.h REQUIRED)

add_executable(png_fuzz tests/fuzz/png_fuzz.cpp host/image/image.cpp host/image/png.cpp host/image/png_decode.cpp host/image/stb_impl.cpp host/error.cpp)
target_include_directories(png_fuzz SYSTEM PRIVATE ${STB_INCLUDE})
target_link_libraries(png_fuzz PRIVATE ${LIBDEFLATE})
add_executable(base64_fuzz tests/fuzz/base64_fuzz.cpp host/base64.cpp host/browser/cdp_frame.cpp)
foreach(target png_fuzz base64_fuzz)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
endforeach()
