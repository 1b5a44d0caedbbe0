# Writes a C++ file with `std::string_view FUNCTION(std::string_view name)`, which gives the
# text of each of FILES by its name without extension, or "" for an unknown name.
string(REGEX REPLACE "::[a-z_]+$" "" namespace "${FUNCTION}")
string(REGEX REPLACE "^.*::" "" function "${FUNCTION}")
set(body "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  # A string literal may hold 64 KiB; the in-page functions stay far below.
  string(APPEND body "  if (name == \"${name}\") return R\"qa_text(${text})qa_text\";\n")
endforeach()
file(WRITE ${OUT} "#include <string_view>\nnamespace ${namespace} {\nstd::string_view ${function}(std::string_view name);\nstd::string_view ${function}(std::string_view name) {\n${body}  return {};\n}\n}  // namespace ${namespace}\n")
