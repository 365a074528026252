// Memory behind the AXI4 manager of a machine: 64 bits, in order, answers after a latency in clocks.
#ifndef AXI_MEMORY_H
#define AXI_MEMORY_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

// `Top` has the ports m_axi_*. Sample before a rising edge, Drive behind it.
template <typename Top>
class AxiMemory {
 public:
  uint32_t latency = 64;
  bool is_silent = false;      // gives and takes nothing
  uint8_t read_response = 0;  // of reads that find their bytes
  uint64_t beats_read = 0, beats_written = 0;

  void Add(uint64_t address, void *place, size_t bytes) {
    pools_.push_back({address, static_cast<uint8_t *>(place), bytes});
  }

  // Place of some bytes, and address of a place; none if no pool has them.
  uint8_t *At(uint64_t address, size_t bytes) const {
    for (const auto &pool : pools_) {
      if (address >= pool.address && address - pool.address + bytes <= pool.bytes)
        return pool.place + (address - pool.address);
    }
    return nullptr;
  }
  bool ToBus(const void *place, uint64_t *address) const {
    for (const auto &pool : pools_) {
      const auto *own = static_cast<const uint8_t *>(place);
      if (own < pool.place || own >= pool.place + pool.bytes) continue;
      *address = pool.address + static_cast<uint64_t>(own - pool.place);
      return true;
    }
    return false;
  }

  void Sample(const Top &top) {
    if (top.m_axi_rvalid && top.m_axi_rready) {
      beats_read++;
      reads_.front().address += 8;
      if (--reads_.front().beats == 0) reads_.pop_front();
    }
    if (top.m_axi_arvalid && top.m_axi_arready)
      reads_.push_back(Take(top.m_axi_araddr, top.m_axi_arlen, top.m_axi_arsize,
                            top.m_axi_arburst, top.m_axi_arid));
    if (top.m_axi_bvalid && top.m_axi_bready) answers_.pop_front();
    if (top.m_axi_wvalid && top.m_axi_wready) Write(top);
    if (top.m_axi_awvalid && top.m_axi_awready)
      writes_.push_back(Take(top.m_axi_awaddr, top.m_axi_awlen, top.m_axi_awsize,
                             top.m_axi_awburst, top.m_axi_awid));
    clock_++;
  }

  void Drive(Top &top) {
    const bool reads = !is_silent && !reads_.empty() && reads_.front().due <= clock_;
    const bool answers = !is_silent && !answers_.empty() && answers_.front().due <= clock_;
    top.m_axi_arready = top.m_axi_awready = top.m_axi_wready = !is_silent;
    top.m_axi_rid = top.m_axi_bid = 0;
    top.m_axi_rvalid = reads;
    top.m_axi_bvalid = answers;
    if (answers) top.m_axi_bresp = answers_.front().response;
    if (!reads) return;
    const Burst &burst = reads_.front();
    const uint8_t *word = At(burst.address, 8);
    uint64_t data = 0;
    for (int byte = 7; word != nullptr && byte >= 0; byte--) data = data << 8 | word[byte];
    top.m_axi_rdata = data;
    top.m_axi_rresp = burst.response != 0 ? burst.response : read_response;
    top.m_axi_rlast = burst.beats == 1;
  }

 private:
  struct Pool {
    uint64_t address;
    uint8_t *place;
    size_t bytes;
  };
  struct Burst {
    uint64_t address, due;
    uint32_t beats;
    uint8_t response;
  };

  static void Need(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "memory: %s\n", what);
    std::exit(1);
  }

  // A burst that is announced; one that lies in no pool gets DECERR.
  Burst Take(uint64_t address, uint32_t len, uint32_t size, uint32_t kind, uint32_t id) const {
    const uint32_t beats = len + 1;
    Need(size == 3 && kind == 1 && id == 0 && address % 8 == 0, "a burst of another kind");
    Need(address / 4096 == (address + 8 * beats - 1) / 4096, "a burst leaves its page");
    const uint8_t response = At(address, 8 * beats) == nullptr ? 3 : 0;
    return {address, clock_ + latency, beats, response};
  }

  void Write(const Top &top) {
    Need(!writes_.empty(), "a beat comes ahead of its address");
    Burst &burst = writes_.front();
    uint8_t *word = At(burst.address, 8);
    for (int byte = 0; word != nullptr && byte < 8; byte++) {
      if (top.m_axi_wstrb >> byte & 1) word[byte] = static_cast<uint8_t>(top.m_axi_wdata >> 8 * byte);
    }
    beats_written++;
    burst.address += 8;
    Need((--burst.beats == 0) == static_cast<bool>(top.m_axi_wlast), "WLAST on another beat");
    if (burst.beats > 0) return;
    burst.due = clock_ + latency;
    answers_.push_back(burst);
    writes_.pop_front();
  }

  std::vector<Pool> pools_;
  std::deque<Burst> reads_, writes_, answers_;
  uint64_t clock_ = 0;
};

#endif
