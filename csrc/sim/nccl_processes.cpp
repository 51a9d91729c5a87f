#include "sim/nccl_processes.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <thread>

namespace gpukit::sim::nccl {

namespace nccl_processes {
namespace {

using Clock = std::chrono::steady_clock;
using Token = std::array<unsigned char, 16>;

constexpr std::size_t kMostRanks = kMostDevices;
constexpr std::size_t kMostIds = 64;    ///< made by one process and not used yet
constexpr std::size_t kRoom = 1 << 20;  ///< bytes of a rank's piece on its way in, and out
constexpr std::uint64_t kMark = 0x6b6e636c67707531;
constexpr int kAbsent = 0, kHere = 1, kLeft = 2;
constexpr int kSpins = 400;
constexpr std::chrono::milliseconds kLook{20};  ///< between looks at whether ranks live

/// What a unique id holds.
struct Address {
  std::uint64_t mark;
  std::int64_t process;
  std::int64_t file;
  Token token;
};
static_assert(sizeof(Address) <= sizeof(UniqueId));

/// One rank, as the others see it.
struct Seat {
  std::atomic<int> state;
  std::atomic<std::uint64_t> step;  ///< how often it has come to a barrier
  std::uint64_t sent;               ///< in the piece under way
  Call call;
};

/// The start of the shared memory. After it each rank has room for a piece in and one
/// out, and then each pair of ranks a lane of messages; what no call uses is no memory.
struct Header {
  std::uint64_t mark;
  Token token;
  std::atomic<std::size_t> ranks;
  std::atomic<int> error;  ///< 0: none, 1: being written, 2: written
  char text[480];
  Seat seats[kMostRanks];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constexpr std::size_t kStart = (sizeof(Header) + 4095) / 4096 * 4096;
constexpr std::size_t lanes_of(std::size_t ranks) { return kStart + 2 * ranks * kRoom; }
constexpr std::size_t bytes_for(std::size_t ranks) {
  return lanes_of(ranks) + ranks * ranks * sizeof(Lane);
}

class File {
 public:
  explicit File(int number = -1) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

class Mapping {
 public:
  Mapping() = default;
  Mapping(const File& file, std::size_t bytes) : bytes_(bytes) {
    void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (place != MAP_FAILED) data_ = static_cast<char*>(place);
  }
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  ~Mapping() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Mapping& operator=(const Mapping&) = delete;

  char* data() const { return data_; }
  Header& header() const { return *reinterpret_cast<Header*>(data_); }

 private:
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Files of ids that this process made, open until their communicator has all its ranks.
struct Made {
  std::mutex mutex;
  std::map<Token, File> files;
};

Made& made() {
  static auto* const the_made = new Made;
  return *the_made;
}

/// The first error of a communicator is the one that all its ranks tell.
void record(Header& header, const std::string& why) {
  int none = 0;
  if (!header.error.compare_exchange_strong(none, 1)) return;
  std::strncpy(header.text, why.c_str(), sizeof header.text - 1);
  header.error = 2;
}

std::string of_system(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

/// A lock ends with its process, however that ends, unless a forked child lives on.
struct flock lock_of(std::size_t rank, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(rank);
  lock.l_len = 1;
  return lock;
}

bool lives(const File& file, std::size_t rank) {
  struct flock lock = lock_of(rank, F_WRLCK);
  return fcntl(file.number(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/// What a buffer is to a call in pieces: parts of all ranks one after the other, or one.
struct Side {
  std::size_t rows;
  std::size_t count;  ///< elements of a row
};

Side side_of(const Call& call, std::size_t ranks, bool sends) {
  const Kind many = sends ? Kind::kReduceScatter : Kind::kAllGather;
  return {call.kind == many ? ranks : 1, call.count};
}

class ProcessGroup final : public Group {
 public:
  ProcessGroup(File file, Mapping memory, std::size_t ranks, std::size_t rank, int device)
      : file_(std::move(file)),
        memory_(std::move(memory)),
        ranks_(ranks),
        rank_(rank),
        device_(device) {}

  ~ProcessGroup() override { seat(rank_).state = kLeft; }

  std::size_t size() const override { return ranks_; }
  int device(std::size_t) const override { return device_; }
  bool is_local() const override { return false; }

  bool wait_for_all() {
    seat(rank_).state = kHere;
    const bool all = wait_until("ncclCommInitRank", [&] {
      for (std::size_t rank = 0; rank < ranks_; rank++)
        if (seat(rank).state == kAbsent) return false;
      return true;
    });
    return all && arrive("ncclCommInitRank");
  }

  void meet(std::uint64_t number, std::size_t, const Call& call, const Part& part) override {
    std::unique_lock lock(mutex_);
    Clock::time_point end = Clock::now() + kPatience;
    for (std::uint64_t seen = next_; next_ < number && !stopped();) {
      turn_.wait_for(lock, kLook);  // calls on other streams come first
      if (next_ != seen) end = Clock::now() + kPatience;
      seen = next_;
      if (Clock::now() > end)
        stop("rank " + std::to_string(rank_) +
             " waited in vain for an earlier call: " + call.text());
    }
    if (stopped()) return;
    run(call, part);
    next_ = std::max(next_, number + 1);  // a graph runs its calls again
    turn_.notify_all();
  }

  void exchange(std::size_t, const std::vector<Message>& messages) override {
    Exchange moving(reinterpret_cast<Lane*>(memory_.data() + lanes_of(ranks_)), ranks_, rank_,
                    messages);
    std::set<std::size_t> peers;
    for (const Message& each : messages) peers.insert(each.peer());
    const std::string what = messages[0].call.text();
    while (!moving.done()) {
      std::string fault;
      const auto ready = [&] { return moving.advance(fault) || !fault.empty() || moving.done(); };
      if (!wait_until(what, ready, &peers)) return;
      if (!fault.empty()) return stop(fault);
    }
    sent_bytes[device_] += bytes_sent(rank_, messages);
  }

  void hang(const Call& call) override {
    wait_until(call.text(), [] { return false; });
  }

  void cancel(const std::string& why) override {
    stop("rank " + std::to_string(rank_) + ": " + why);
  }

  std::string error() const override {
    const Header& header = memory_.header();
    if (header.error.load() != 2) return {};
    return {header.text, strnlen(header.text, sizeof header.text)};
  }

 private:
  Seat& seat(std::size_t rank) const { return memory_.header().seats[rank]; }
  char* room(std::size_t rank, bool in) const {
    return memory_.data() + kStart + (2 * rank + (in ? 0 : 1)) * kRoom;
  }
  bool stopped() const { return memory_.header().error.load() != 0; }

  void stop(const std::string& why) { record(memory_.header(), why); }

  /// False after an error: also where a rank has ended, or does not come. Without `peers` all ranks
  /// are waited for.
  template <class Ready>
  bool wait_until(const std::string& what, const Ready& ready,
                  const std::set<std::size_t>* peers = nullptr) {
    for (int i = 0; i < kSpins; i++) {
      if (stopped()) return false;
      if (ready()) return true;
      sched_yield();
    }
    const Clock::time_point end = Clock::now() + kPatience;
    Clock::time_point look = Clock::now() + kLook;
    std::chrono::microseconds pause{20};
    while (!ready()) {
      if (stopped()) return false;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(1000));
      if (Clock::now() < look) continue;
      look = Clock::now() + kLook;
      const std::string gone = departed(peers);
      if (!gone.empty() && !ready()) stop(gone + ": " + what);
      if (Clock::now() > end) stop("rank " + std::to_string(rank_) + " waited in vain: " + what);
    }
    return !stopped();
  }

  std::string departed(const std::set<std::size_t>* peers) const {
    for (std::size_t rank = 0; rank < ranks_; rank++) {
      if (rank == rank_ || (peers != nullptr && peers->count(rank) == 0)) continue;
      const int state = seat(rank).state;
      if (state == kLeft) return "rank " + std::to_string(rank) + " has left";
      if (state == kHere && !lives(file_, rank))
        return "the process of rank " + std::to_string(rank) + " has ended";
    }
    return {};
  }

  /// A barrier. A rank is one step ahead of another at most.
  bool arrive(const std::string& what) {
    const std::uint64_t step = seat(rank_).step.load(std::memory_order_relaxed) + 1;
    seat(rank_).step.store(step, std::memory_order_release);
    return wait_until(what, [&] {
      for (std::size_t rank = 0; rank < ranks_; rank++)
        if (seat(rank).step.load(std::memory_order_acquire) < step) return false;
      return true;
    });
  }

  void run(const Call& call, const Part& part) {
    const std::string what = call.text();
    seat(rank_).call = call;
    if (!arrive(what)) return;
    std::vector<Call> calls;
    for (std::size_t rank = 0; rank < ranks_; rank++) calls.push_back(seat(rank).call);
    if (const std::string fault = difference(calls); !fault.empty()) return stop(fault);
    if (!arrive(what)) return;
    const std::size_t parts =
        std::max(side_of(call, ranks_, true).rows, side_of(call, ranks_, false).rows);
    // Of a multiple of the ranks, so that each sends as many bytes of every piece.
    const std::size_t most = kRoom / bytes_of(call.type) / parts / ranks_ * ranks_;
    for (std::size_t first = 0; first < call.count; first += most) {
      Call piece = call;
      piece.count = std::min(most, call.count - first);
      if (!move(call, piece, first, part)) return;
    }
  }

  /// A piece of all ranks: in, around the ring, and out.
  bool move(const Call& call, const Call& piece, std::size_t first, const Part& part) {
    if (needs(call, rank_, true)) copy(call, piece, first, part.send, room(rank_, true), true);
    if (!arrive(call.text())) return false;
    if (rank_ == 0) {
      std::vector<Part> parts;
      for (std::size_t rank = 0; rank < ranks_; rank++)
        parts.push_back({room(rank, true), room(rank, false)});
      Ring(piece, parts).run();
      for (std::size_t rank = 0; rank < ranks_; rank++) seat(rank).sent = parts[rank].sent;
    }
    if (!arrive(call.text())) return false;
    sent_bytes[device_] += seat(rank_).sent;
    if (needs(call, rank_, false))
      copy(call, piece, first, room(rank_, false), part.receive, false);
    return true;
  }

  /// Rows of a piece, of which the rank's own buffer has longer ones.
  void copy(const Call& call, const Call& piece, std::size_t first, const char* from, char* into,
            bool sends) const {
    const Side side = side_of(call, ranks_, sends);
    const std::size_t item = bytes_of(call.type), bytes = piece.count * item;
    for (std::size_t row = 0; row < side.rows; row++) {
      const std::size_t own = (row * side.count + first) * item, shared = row * bytes;
      std::memcpy(into + (sends ? shared : own), from + (sends ? own : shared), bytes);
    }
  }

  File file_;
  Mapping memory_;
  std::size_t ranks_;
  std::size_t rank_;
  int device_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::uint64_t next_ = 0;  // call of this rank
};

}  // namespace
}  // namespace nccl_processes

using namespace nccl_processes;

std::string make_unique_id(UniqueId& id) {
  Made& all = made();
  const std::lock_guard lock(all.mutex);
  if (all.files.size() >= kMostIds) return "64 ids wait for their communicators already";
  File file(memfd_create("gpukit-nccl", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number() < 0 || ftruncate(file.number(), bytes_for(kMostRanks)) != 0 ||
      fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return of_system("no shared memory");
  Address address = {kMark, getpid(), file.number(), {}};
  if (getrandom(address.token.data(), address.token.size(), 0) !=
      static_cast<ssize_t>(address.token.size()))
    return of_system("no random number");
  const Mapping memory(file, kStart);
  if (memory.data() == nullptr) return of_system("no shared memory");
  memory.header().token = address.token;
  memory.header().mark = kMark;
  id = {};
  std::memcpy(id.bytes.data(), &address, sizeof address);
  all.files.emplace(address.token, std::move(file));
  return {};
}

Joined join(const UniqueId& id, std::size_t ranks, std::size_t rank, int device) {
  Address address;
  std::memcpy(&address, id.bytes.data(), sizeof address);
  if (address.mark != kMark) return {nullptr, "the id is none of ncclGetUniqueId", true};
  if (ranks < 1 || ranks > kMostRanks || rank >= ranks)
    return {nullptr, "rank " + std::to_string(rank) + " of " + std::to_string(ranks), true};
  const std::string path =
      "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat facts = {};
  if (file.number() < 0 || fstat(file.number(), &facts) != 0 ||
      facts.st_size != static_cast<off_t>(bytes_for(kMostRanks)))
    return {nullptr, "the process that made the id has ended, or all its ranks have joined", false};
  Mapping memory(file, bytes_for(ranks));
  if (memory.data() == nullptr) return {nullptr, of_system("no shared memory"), false};
  Header& header = memory.header();
  if (header.mark != kMark || header.token != address.token)
    return {nullptr, "the process that made the id has ended, or all its ranks have joined", false};
  std::size_t told = 0;
  if (!header.ranks.compare_exchange_strong(told, ranks) && told != ranks) {
    record(header, "nranks is " + std::to_string(ranks) + " on rank " + std::to_string(rank) +
                       ", and " + std::to_string(told) + " on another");
    return {nullptr, header.text, true};
  }
  struct flock lock = lock_of(rank, F_WRLCK);
  if (fcntl(file.number(), F_OFD_SETLK, &lock) != 0)
    return {nullptr, "rank " + std::to_string(rank) + " is taken twice", true};
  const auto group =
      std::make_shared<ProcessGroup>(std::move(file), std::move(memory), ranks, rank, device);
  const bool all = group->wait_for_all();
  {
    const std::lock_guard own(made().mutex);
    made().files.erase(address.token);
  }
  if (!all) return {nullptr, group->error(), false};
  return {group, {}, false};
}

}  // namespace gpukit::sim::nccl
