# Writes the files of lint/examples into a table: cmake -D folder=… -D table=… -P embed_examples.cmake
cmake_minimum_required(VERSION 3.25)
file(GLOB paths RELATIVE ${folder} ${folder}/*/*.*)
list(SORT paths)
file(WRITE ${table}.new "#include \"lint/embedded_examples.h\"\n\nnamespace muster::lint {\nnamespace {\n\n"
  "constexpr EmbeddedExample files[] = {\n")
foreach(path ${paths})
  get_filename_component(rule ${path} DIRECTORY)
  get_filename_component(name ${path} NAME)
  file(READ ${folder}/${path} text)
  file(APPEND ${table}.new "  {\"${rule}\", \"${name}\", R\"muster(${text})muster\"},\n")
endforeach()
file(APPEND ${table}.new "};\n\n}  // namespace\n\nstd::span<const EmbeddedExample> embedded_examples() { return files; }\n\n}  // namespace muster::lint\n")
file(RENAME ${table}.new ${table})
