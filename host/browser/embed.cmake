# Writes a C++ file with `std::string_view FUNCTION(std::string_view name)`, which gives the
# text of each of FILES by its name without extension, or "" for an unknown name.
#
# With DOM, a file of definitions in JavaScript, `dom.NAME` in a text is the one of that name. These
# texts are sent to the browser at each call, so they carry the definitions that they need alone,
# and no lines of comment.
#
# With CLOCK, the files of the game clock, the text of "clock" is a function of its configuration: that of clock.js,
# which gets the others by name.
string(REGEX REPLACE "::[a-z_]+$" "" namespace "${FUNCTION}")
string(REGEX REPLACE "^.*::" "" function "${FUNCTION}")

function(read_script file variable)
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n) *//[^\n]*" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

function(add_definitions_to variable)
  set(text "${${variable}}")
  read_script(${DOM} rest)
  set(needed "")
  set(names "")
  # From the last one on, since a definition uses those above it.
  string(FIND "${rest}" "\nconst " at REVERSE)
  while(at GREATER -1)
    string(SUBSTRING "${rest}" ${at} -1 definition)
    string(SUBSTRING "${rest}" 0 ${at} rest)
    string(REGEX REPLACE "^\nconst ([a-z_]+) .*" "\\1" name "${definition}")
    if("${text}" MATCHES "[^a-z_]dom\\.${name}[^a-z_]" OR "${needed}" MATCHES "[^a-z_.]${name}[(]")
      string(PREPEND needed "${definition}")
      string(APPEND names "${name}, ")
    endif()
    string(FIND "${rest}" "\nconst " at REVERSE)
  endwhile()
  if(needed)
    set(${variable} "(() => {${needed}\nconst dom = {${names}};\nreturn ${text}})()" PARENT_SCOPE)
  endif()
endfunction()

set(body "")
if(CLOCK)
  set(topics "")
  foreach(file ${CLOCK})
    get_filename_component(name ${file} NAME_WE)
    read_script(${file} text)
    string(STRIP "${text}" text)
    string(APPEND topics "${name}: ${text},\n")
  endforeach()
  string(APPEND body "  if (name == \"clock\") return R\"qa_text((config) => { 'use strict'; const topics = {${topics}}; topics.clock(config, topics); })qa_text\";\n")
endif()
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  if(DOM)
    read_script(${file} text)
    string(STRIP "${text}" text)
    add_definitions_to(text)
  else()
    file(READ ${file} text)
  endif()
  # A string literal may hold 64 KiB; the in-page functions stay far below.
  string(APPEND body "  if (name == \"${name}\") return R\"qa_text(${text})qa_text\";\n")
endforeach()
file(WRITE ${OUT} "#include <string_view>\nnamespace ${namespace} {\nstd::string_view ${function}(std::string_view name);\nstd::string_view ${function}(std::string_view name) {\n${body}  return {};\n}\n}  // namespace ${namespace}\n")
