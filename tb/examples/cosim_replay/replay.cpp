// Replays the host accesses of a co-simulation on the verilated machine, with nothing around it.
// Usage: replay FILE. Prints clock cycles, nanoseconds and a checksum of all answers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "Vmachine.h"
#include "verilated.h"

namespace {

enum : uint64_t { kWrite = 0, kRead = 1, kWait = 2 };

VerilatedContext context;
Vmachine top{&context};
uint64_t cycles = 0;
uint64_t checksum = 0xcbf29ce484222325;

// One clock with the inputs on the pins, which settle with the falling edge: two evaluations are
// enough. True if the machine takes the request that may be on the pins.
bool Cycle() {
  top.clk = 0;
  top.eval();
  const bool ready = top.host_ready_o;
  top.clk = 1;
  top.eval();
  cycles++;
  return ready;
}

void Write(uint32_t address, uint64_t data) {
  top.host_valid_i = 1;
  top.host_write_i = 1;
  top.host_addr_i = address;
  top.host_wdata_i = data;
  while (!Cycle()) {
  }
  top.host_valid_i = 0;
}

void Read(const uint64_t *addresses, uint64_t count) {
  uint64_t sent = 0;
  uint64_t received = 0;
  top.host_write_i = 0;
  while (received < count) {
    top.host_valid_i = sent < count;
    if (sent < count) top.host_addr_i = addresses[sent];
    sent += Cycle() && top.host_valid_i;
    if (!top.host_rvalid_o) continue;
    checksum = (checksum ^ top.host_rdata_o) * 0x100000001b3;
    received++;
  }
  top.host_valid_i = 0;
}

void Wait() {
  do {
    Cycle();
  } while (top.running_o);
}

std::vector<uint64_t> Load(const char *path) {
  std::vector<uint64_t> words;
  std::FILE *file = std::fopen(path, "rb");
  if (!file) return words;
  uint64_t word;
  while (std::fread(&word, sizeof word, 1, file) == 1) words.push_back(word);
  std::fclose(file);
  return words;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const std::vector<uint64_t> words = Load(argv[1]);
  if (words.empty()) return 2;
  top.eval();
  for (int i = 0; i < 4; i++) Cycle();
  top.rst_n = 1;
  Cycle();
  cycles = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const uint64_t *at = words.data(), *end = at + words.size(); at < end;) {
    if (at[0] == kWrite) {
      Write(at[1], at[2]);
      at += 3;
    } else if (at[0] == kRead) {
      Read(at + 2, at[1]);
      at += 2 + at[1];
    } else {
      Wait();
      at += 1;
    }
  }
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
  std::printf("%llu %lld %llu\n", static_cast<unsigned long long>(cycles),
              static_cast<long long>(time.count()), static_cast<unsigned long long>(checksum));
  return 0;
}
