#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>

#include "sim/checked_memory.h"
#include "sim/image_reader.h"

namespace gpukit::sim {

namespace cubin_reader {
namespace {

constexpr unsigned kMachineCuda = 190;
constexpr std::size_t kMostSections = 60000;
constexpr unsigned kReservedSharedBytes = 1024;

// Records of a .nv.info section: a format byte, an attribute byte, then a 16-bit value or length.
constexpr unsigned char kFormatSized = 4;
constexpr unsigned char kAttributeMaxThreads = 0x05;
constexpr unsigned char kAttributeFrameBytes = 0x11;
constexpr unsigned char kAttributeParameter = 0x17;
constexpr unsigned char kAttributeRegisters = 0x2f;

[[noreturn]] void damaged(const char* what) {
  throw ImageError(CUDA_ERROR_INVALID_IMAGE, std::string("the cubin is damaged: ") + what);
}

class Elf {
 public:
  explicit Elf(const char* image) {
    copy(&header_, image, sizeof header_);
    check_header();
    bytes_.resize(extent());
    copy(bytes_.data(), image, bytes_.size());
    sections_.resize(header_.e_shnum);
    std::memcpy(sections_.data(), bytes_.data() + header_.e_shoff,
                sections_.size() * sizeof sections_[0]);
    for (const Elf64_Shdr& section : sections_) check_section(section);
  }

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }

  std::string_view content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS) return {};
    return {bytes_.data() + section.sh_offset, section.sh_size};
  }

  std::string_view name_of(const Elf64_Shdr& section) const {
    return text_at(sections_[header_.e_shstrndx], section.sh_name);
  }

  std::string_view text_at(const Elf64_Shdr& table, std::size_t offset) const {
    const std::string_view texts = content(table);
    if (offset >= texts.size()) damaged("a name is outside its table");
    const auto end = texts.find('\0', offset);
    if (end == std::string_view::npos) damaged("a name has no end");
    return texts.substr(offset, end - offset);
  }

 private:
  static void copy(void* to, const char* from, std::size_t bytes) {
    if (!copy_checked(to, from, bytes)) damaged("it is shorter than its header says");
  }

  void check_header() const {
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0)
      damaged("it does not start as an ELF file");
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB)
      damaged("wrong ELF class");
    if (header_.e_machine != kMachineCuda) damaged("it is not a CUDA image");
    if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum == 0 ||
        header_.e_shnum > kMostSections) {
      damaged("its section table is not readable");
    }
    if (header_.e_shstrndx >= header_.e_shnum || header_.e_shoff > kMostImageBytes ||
        header_.e_phoff > kMostImageBytes) {
      damaged("its tables are outside the file");
    }
  }

  std::size_t extent() const {
    const std::size_t sections_end =
        header_.e_shoff + std::size_t{header_.e_shnum} * sizeof(Elf64_Shdr);
    const std::size_t programs_end =
        header_.e_phoff + std::size_t{header_.e_phnum} * sizeof(Elf64_Phdr);
    return std::max(sections_end, programs_end);
  }

  void check_section(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS) return;
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset) {
      damaged("a section is outside the file");
    }
  }

  Elf64_Ehdr header_ = {};
  std::vector<char> bytes_;
  std::vector<Elf64_Shdr> sections_;
};

template <class T>
T load(std::string_view bytes, std::size_t offset) {
  if (offset + sizeof(T) > bytes.size()) damaged("a record has no end");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Calls visit(attribute, payload) for each sized record.
template <class Visit>
void for_each(std::string_view records, Visit visit) {
  std::size_t at = 0;
  while (at + 4 <= records.size()) {
    const auto format = static_cast<unsigned char>(records[at]);
    const auto attribute = static_cast<unsigned char>(records[at + 1]);
    const auto length = load<std::uint16_t>(records, at + 2);
    at += 4;
    if (format != kFormatSized) continue;
    if (length > records.size() - at) damaged("a record has no end");
    visit(attribute, records.substr(at, length));
    at += length;
  }
}

void read_records(std::string_view records, KernelInfo& kernel) {
  for_each(records, [&](unsigned char attribute, std::string_view payload) {
    if (attribute == kAttributeParameter) {
      const auto ordinal = load<std::uint16_t>(payload, 4);
      if (ordinal >= 4096) damaged("a kernel has too many parameters");
      if (kernel.param_bytes.size() <= ordinal) kernel.param_bytes.resize(ordinal + std::size_t{1});
      kernel.param_bytes[ordinal] = load<std::uint32_t>(payload, 8) >> 18;
    } else if (attribute == kAttributeMaxThreads) {
      kernel.max_threads = load<std::uint32_t>(payload, 0) * load<std::uint32_t>(payload, 4) *
                           load<std::uint32_t>(payload, 8);
    }
  });
}

class CubinReader {
 public:
  explicit CubinReader(const char* image) : elf_(image) {}

  ImageInfo read() {
    ImageInfo info;
    info.architecture = architecture();
    collect_kernels();
    read_symbol_records();
    for (auto& [name, kernel] : kernels_) info.kernels.push_back(std::move(kernel));
    return info;
  }

 private:
  int architecture() const {
    const unsigned flags = elf_.header().e_flags;
    const unsigned abi = elf_.header().e_ident[EI_ABIVERSION];
    const unsigned value = abi >= 8 ? (flags >> 8) & 0xff : flags & 0xff;
    if (value < 20) damaged("it names no architecture");
    return static_cast<int>(value);
  }

  // Finds ".prefix.kernel" and gives "kernel".
  static std::string_view after(std::string_view name, std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix ? name.substr(prefix.size())
                                                   : std::string_view();
  }

  void collect_kernels() {
    bool reserves_shared = false;
    std::map<std::string, unsigned> shared;
    for (const Elf64_Shdr& section : elf_.sections()) {
      const std::string_view name = elf_.name_of(section);
      if (name == ".nv.shared.reserved.0") {
        reserves_shared = true;
      } else if (const auto kernel = after(name, ".nv.info."); !kernel.empty()) {
        KernelInfo& info = kernels_[std::string(kernel)];
        info.name = kernel;
        read_records(elf_.content(section), info);
      } else if (const auto user = after(name, ".nv.shared."); !user.empty()) {
        shared[std::string(user)] = static_cast<unsigned>(section.sh_size);
      } else if (const auto text = after(name, ".text."); !text.empty()) {
        kernels_[std::string(text)].name = text;
      }
    }
    for (const auto& [kernel, bytes] : shared) {
      const unsigned reserved = reserves_shared ? kReservedSharedBytes : 0;
      const auto found = kernels_.find(kernel);
      if (found != kernels_.end())
        found->second.static_shared_bytes = bytes > reserved ? bytes - reserved : 0;
    }
  }

  KernelInfo* kernel_of_symbol(std::size_t index) {
    for (const Elf64_Shdr& table : elf_.sections()) {
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= elf_.sections().size()) continue;
      const auto symbol = load<Elf64_Sym>(elf_.content(table), index * sizeof(Elf64_Sym));
      const auto found =
          kernels_.find(std::string(elf_.text_at(elf_.sections()[table.sh_link], symbol.st_name)));
      return found == kernels_.end() ? nullptr : &found->second;
    }
    return nullptr;
  }

  void read_symbol_records() {
    for (const Elf64_Shdr& section : elf_.sections()) {
      if (elf_.name_of(section) != ".nv.info") continue;
      for_each(elf_.content(section), [&](unsigned char attribute, std::string_view payload) {
        if (attribute != kAttributeRegisters && attribute != kAttributeFrameBytes) return;
        KernelInfo* kernel = kernel_of_symbol(load<std::uint32_t>(payload, 0));
        if (kernel == nullptr) return;
        (attribute == kAttributeRegisters ? kernel->registers : kernel->local_bytes) =
            load<std::uint32_t>(payload, 4);
      });
    }
  }

  Elf elf_;
  std::map<std::string, KernelInfo> kernels_;
};

}  // namespace
}  // namespace cubin_reader

ImageInfo read_cubin(const void* image) {
  return cubin_reader::CubinReader(static_cast<const char*>(image)).read();
}

}  // namespace gpukit::sim
