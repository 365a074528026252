// Runs a program on a PicoRV32 beside a machine with a DMA: one memory for both.
//
// Usage: soc PROGRAM IMAGE INPUTS OUTPUTS
// PROGRAM is firmware.c as bytes from address 0 on; of the bytes of INPUTS and OUTPUTS those of the first pictures are used.
#include "Soc.h"

#include <cstring>
#include <memory>

#include "../axi_memory.h"
#include "../need.h"
#include "soc.h"

namespace {

// Clocks in which the processor must have ended, and those of a burst up to its answer.
constexpr uint64_t kClocks = 10000000;
constexpr uint32_t kLatency = 64;
// What memory has before anything is written.
constexpr uint8_t kJunk = 0xA5;

struct System {
  Soc top;
  Bytes memory = Bytes(SOC_MEMORY, kJunk);
  AxiMemory<Soc> dma;
  uint64_t clocks = 0, accesses = 0;
  bool has_ended = false;
  uint32_t result = 0;

  System() {
    dma.latency = kLatency;
    dma.Add(0, memory.data(), memory.size());
  }

  void Put(uint32_t address, const Bytes &bytes, size_t room) {
    Need(bytes.size() <= room, "a file is too large");
    std::memcpy(&memory[address], bytes.data(), bytes.size());
  }

  // An access of the processor to memory: it is answered in the next clock.
  void Access() {
    top.mem_ready_i = top.mem_valid_o && !top.mem_ready_i;
    if (!top.mem_ready_i) return;
    accesses++;
    if (top.mem_addr_o == SOC_END && top.mem_wstrb_o == 15) {
      has_ended = true;
      result = top.mem_wdata_o;
      return;
    }
    uint8_t *bytes = dma.At(top.mem_addr_o & ~3u, 4);
    Need(bytes != nullptr, "the processor goes beyond its memory");
    uint32_t word = 0;
    for (int byte = 3; byte >= 0; byte--) {
      if (top.mem_wstrb_o >> byte & 1) bytes[byte] = static_cast<uint8_t>(top.mem_wdata_o >> 8 * byte);
      word = word << 8 | bytes[byte];
    }
    top.mem_rdata_i = word;
  }

  void Clock() {
    dma.Sample(top);
    top.aclk = 1;
    top.eval();
    dma.Drive(top);
    Access();
    top.aclk = 0;
    top.eval();
    clocks++;
  }

  void Run() {
    top.aresetn = 0;
    for (int clock = 0; clock < 4; clock++) Clock();
    top.aresetn = 1;
    clocks = 0;
    while (!has_ended) {
      Clock();
      Need(!top.trap_o, "the processor has stopped");
      Need(clocks < kClocks, "the program does not end");
    }
  }
};

}  // namespace

int main(int count, char **arguments) {
  Need(count == 5, "usage: soc PROGRAM IMAGE INPUTS OUTPUTS");
  const Bytes image = Read(arguments[2]);
  Bytes inputs = Read(arguments[3]), wanted = Read(arguments[4]);
  auto system = std::make_unique<System>();
  auto *user = reinterpret_cast<soc_user *>(&system->memory[SOC_USER]);
  Need(inputs.size() >= sizeof user->pictures && wanted.size() >= sizeof user->scores, "other files");
  system->Put(0, Read(arguments[1]), SOC_STACK);
  system->Put(SOC_IMAGE, image, SOC_POOL_IN_BYTES);
  user->image_bytes = static_cast<uint32_t>(image.size());
  user->interrupts = 0;
  std::memcpy(user->pictures, inputs.data(), sizeof user->pictures);
  system->Run();

  if (system->result != 0) {
    Need(system->result < SOC_STACK, "the program ends with a text that is none");
    std::fprintf(stderr, "soc: the program ends: %s\n", reinterpret_cast<char *>(&system->memory[system->result]));
    return 1;
  }
  if (std::memcmp(user->scores, wanted.data(), sizeof user->scores) != 0) {
    std::fprintf(stderr, "soc: other scores than those of heddle sim\n");
    return 1;
  }
  Need(user->interrupts >= SOC_IMAGES, "an interrupt for each picture");
  Need(system->dma.beats_read > 0 && system->dma.beats_written > 0, "the DMA has read and written");
  std::printf("%d images exact, %u interrupts; open %u clocks, load %u, pack %u, run %u; %llu clocks from reset to result\n",
              SOC_IMAGES, user->interrupts, user->opened, user->loaded - user->opened, user->submitted - user->loaded,
              user->done - user->submitted, static_cast<unsigned long long>(system->clocks));
  return 0;
}
