// SPDX-License-Identifier: Apache-2.0
// Checks of compiled files; see elf.h.
#include "driver/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace tessera::driver {

namespace {

/// A record at an offset, if it lies inside the file.
template <typename T>
std::optional<T> record_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> content_of(std::string_view bytes, const Elf64_Shdr& section) {
  if (section.sh_offset > bytes.size() || bytes.size() - section.sh_offset < section.sh_size)
    return std::nullopt;
  return bytes.substr(section.sh_offset, section.sh_size);
}

/// Adds the names that a symbol table defines.
void collect_symbols(std::string_view table, std::string_view names,
                     std::set<std::string, std::less<>>& into) {
  for (std::size_t offset = 0; offset + sizeof(Elf64_Sym) <= table.size(); offset += sizeof(Elf64_Sym)) {
    const auto symbol = *record_at<Elf64_Sym>(table, offset);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) continue;
    const std::string_view rest = names.substr(symbol.st_name);
    into.emplace(rest.substr(0, rest.find('\0')));
  }
}

}  // namespace

std::optional<std::string> elf_problem(std::string_view bytes, const std::vector<std::string>& symbols) {
  const auto header = record_at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "it is not an ELF file";
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return "it is not a 64-bit little-endian ELF file";
  }
  if (header->e_shnum == 0 || header->e_shentsize != sizeof(Elf64_Shdr)) return "it has no section table";
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = header->e_shoff > bytes.size()
                             ? std::nullopt
                             : record_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return "its section table lies beyond the end of the file";
    if (section->sh_type != SHT_NOBITS && !content_of(bytes, *section)) {
      return fmt::format("section {} lies beyond the end of the file", i);
    }
    sections.push_back(*section);
  }
  std::set<std::string, std::less<>> defined;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    if (section.sh_link >= sections.size() || sections[section.sh_link].sh_type != SHT_STRTAB) {
      return "a symbol table has no names";
    }
    collect_symbols(*content_of(bytes, section), *content_of(bytes, sections[section.sh_link]), defined);
  }
  for (const std::string& symbol : symbols) {
    if (!defined.contains(symbol)) return fmt::format("it does not define `{}`", symbol);
  }
  return std::nullopt;
}

std::optional<std::string> ptx_problem(std::string_view text) {
  if (text.find(".version") == std::string_view::npos) return "it is not PTX text";
  if (std::ranges::count(text, '{') != std::ranges::count(text, '}')) return "it ends inside a block";
  const std::size_t last = text.find_last_not_of(" \t\n");
  if (text[last] != '}' && text[last] != ';') return "it ends inside a statement";
  return std::nullopt;
}

}  // namespace tessera::driver
