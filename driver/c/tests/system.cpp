// Runs an image on the emitted Verilog: the C driver on one side, pins of the machine on the other.
//
// Usage: system IMAGE INPUTS OUTPUTS [LATENCY], or system FOLDER for the program of docs/system.md with the files of a folder
// Bytes of the input and of all outputs, one inference after another. With SYSTEM_DMA the machine has a
// DMA: everything goes through its ring, and memory answers after LATENCY clocks, by default 64.
#include "machine.h"

#include <cstring>
#include <memory>

#ifdef SYSTEM_DMA
int RunPage(const char *files);
#endif

namespace {

// Inferences in a call of heddle_submit.
constexpr uint32_t kAtATime = 4;
// Room of the buffers of an inference, and of the scratch behind all outputs, in bytes.
constexpr size_t kRoom = 16 * HEDDLE_PAGE, kScratch = 16 * HEDDLE_PAGE;
// Entries of the ring, as a power of two: the smallest one that holds two inferences is taken.
constexpr uint32_t kRingLog = 6, kRingLogMost = 10;
// Bus addresses of the pools.
constexpr uint32_t kReadOnly = 0x40000000, kReadWrite = 0x7FFF0000;

uint32_t ReadHook(void *context, uint32_t offset) {
  return static_cast<Machine *>(context)->ReadWord(offset);
}
void WriteHook(void *context, uint32_t offset, uint32_t word) {
  static_cast<Machine *>(context)->Write(offset, word);
}
uint32_t NowHook(void *context) { return static_cast<Machine *>(context)->clocks; }

void WaitHook(void *context, uint32_t ticks) {
  auto *machine = static_cast<Machine *>(context);
  for (; ticks > 0 && !machine->top.irq_o; ticks--) machine->Clock();
  machine->interrupts += machine->top.irq_o;
}

#ifdef SYSTEM_DMA
int ToBusHook(void *context, const void *place, uint64_t *address) {
  return static_cast<Machine *>(context)->memory.ToBus(place, address);
}

// An inference on a bus that refuses, and one on a bus that is silent: errors of their own. The machine is
// reset when the bus answers again.
void CheckBus(Machine *machine, heddle *device, const heddle_net &net, const void *in, void *out) {
  machine->memory.read_response = 2;
  Need(heddle_submit(device, &net, &in, &out, 1), "heddle_submit");
  Need(heddle_wait(device, 1000000) == HEDDLE_E_BUS, "the bus refuses");
  Need(device->engine_address - kReadOnly < device->read_only.bytes, "an address of the pool");
  machine->memory.read_response = 0;
  Need(heddle_reset(device), "heddle_reset behind a refusal");
  machine->Write(HEDDLE_CTRL, HEDDLE_CTRL_RESET_MASK);
  for (int poll = 0; poll < 100; poll++) machine->ReadWord(HEDDLE_STATUS);
  machine->Write(HEDDLE_TIMEOUT, 8);
  Need(heddle_reset(device), "heddle_reset with another time-out");
  machine->memory.is_silent = true;
  Need(heddle_submit(device, &net, &in, &out, 1), "heddle_submit");
  Need(heddle_wait(device, 1000000) == HEDDLE_E_HUNG, "the bus hangs");
  Need((device->engine_error & HEDDLE_ERROR_CODE_MASK) == HEDDLE_ERROR_IS_TIMEOUT, "TIMEOUT");
  Need(heddle_reset(device) == HEDDLE_E_HUNG, "the bus still hangs");
  machine->memory.is_silent = false;
  Need(heddle_reset(device), "heddle_reset when the bus answers");
}

// What the DMA has moved.
void PrintBeats(const Machine &machine) {
  std::printf(", %llu beats read and %llu written",
              static_cast<unsigned long long>(machine.memory.beats_read),
              static_cast<unsigned long long>(machine.memory.beats_written));
}
#endif

struct Pool : heddle_pool {
  explicit Pool(size_t size) {
    bytes = (size + HEDDLE_PAGE - 1) / HEDDLE_PAGE * HEDDLE_PAGE;
    begin = std::aligned_alloc(HEDDLE_PAGE, bytes);
    Need(begin != nullptr, "no memory");
  }
  uint8_t *at(size_t offset) const { return static_cast<uint8_t *>(begin) + offset; }
};

// The outputs of an inference, one after another.
struct Outputs {
  std::vector<heddle_tensor_info> tensors;
  size_t bytes = 0;

  explicit Outputs(const heddle_net &net) {
    heddle_tensor_info output;
    while (heddle_tensor(&net, HEDDLE_OUTPUT, static_cast<uint32_t>(tensors.size()), &output) ==
           HEDDLE_OK) {
      tensors.push_back(output);
      bytes += output.bytes;
    }
  }

  // Takes those of a buffer to `user`, which was cleared.
  void Unpack(const heddle_net &net, const void *buffer, uint8_t *user, void *work) const {
    std::memset(user, 0, bytes);
    std::vector<void *> places;
    for (const auto &output : tensors) {
      places.push_back(user);
      user += output.bytes;
    }
    const auto count = static_cast<uint32_t>(places.size());
    Need(heddle_unpack(&net, buffer, places.data(), count, work), "heddle_unpack");
  }
};

}  // namespace

int main(int count, char **arguments) {
#ifdef SYSTEM_DMA
  if (count == 2) return RunPage(arguments[1]);
#endif
  Need(count == 4 || count == 5, "usage: system IMAGE INPUTS OUTPUTS [LATENCY]");
  const Bytes file = Read(arguments[1]), inputs = Read(arguments[2]), wanted = Read(arguments[3]);
  auto machine = std::make_unique<Machine>();
  machine->Reset();
  heddle_platform platform = {};
  platform.context = machine.get();
  platform.read32 = ReadHook;
  platform.write32 = WriteHook;
  platform.now = NowHook;
  platform.wait_irq = WaitHook;

  const size_t buffers = (file.size() + HEDDLE_LINE - 1) / HEDDLE_LINE * HEDDLE_LINE;
  const size_t ring = (buffers + kAtATime * kRoom + HEDDLE_PAGE - 1) / HEDDLE_PAGE * HEDDLE_PAGE;
  const Pool read_only(ring + (64u << kRingLogMost)), read_write(kAtATime * kRoom + kScratch);
#ifdef SYSTEM_DMA
  machine->memory.Add(kReadOnly, read_only.begin, read_only.bytes);
  machine->memory.Add(kReadWrite, read_write.begin, read_write.bytes);
  if (count == 5) machine->memory.latency = static_cast<uint32_t>(std::atoi(arguments[4]));
  platform.to_bus = ToBusHook;
#endif
  std::memcpy(read_only.begin, file.data(), file.size());
  heddle device;
  heddle_net net;
  Need(heddle_open(&device, &platform, &read_only, &read_write), "heddle_open");
  heddle_status loads = HEDDLE_E_RING;
  for (uint32_t log = kRingLog; loads == HEDDLE_E_RING && log <= kRingLogMost; log++) {
#ifdef SYSTEM_DMA
    Need(heddle_ring(&device, read_only.at(ring), log), "heddle_ring");
#endif
    loads = heddle_load(&device, &net, read_only.begin, file.size(),
                        read_write.at(kAtATime * kRoom));
  }
  Need(loads, "heddle_load");
  const uint32_t loaded = machine->clocks;

  heddle_tensor_info input;
  Need(heddle_tensor(&net, HEDDLE_INPUT, 0, &input), "heddle_tensor");
  const Outputs output(net);
  Bytes work(net.work_bytes);
  Need(net.input_bytes <= kRoom && net.output_bytes <= kRoom, "large tensors");
  const size_t images = inputs.size() / input.bytes;
  Need(images > 0 && images % kAtATime == 0 && images * output.bytes == wanted.size(),
       "other files");

  Bytes found(wanted.size());
  uint32_t cycles = 0;
  for (size_t first = 0; first < images; first += kAtATime) {
    const void *in[kAtATime];
    void *out[kAtATime];
    for (uint32_t at = 0; at < kAtATime; at++) {
      const void *user = &inputs[(first + at) * input.bytes];
      uint8_t *buffer = read_only.at(buffers + at * net.input_bytes);
      Need(heddle_pack(&net, &user, 1, buffer, work.data()), "heddle_pack");
      in[at] = buffer;
      out[at] = read_write.at(at * net.output_bytes);
    }
    Need(heddle_submit(&device, &net, in, out, kAtATime), "heddle_submit");
    Need(heddle_wait(&device, 1000000), "heddle_wait");
    for (uint32_t at = 0; at < kAtATime; at++) {
      output.Unpack(net, out[at], &found[(first + at) * output.bytes], work.data());
    }
    Need(heddle_counters(&device, HEDDLE_CYCLES, 1, &cycles), "heddle_counters");
  }
  const size_t each = (machine->clocks - loaded) / images;
  Need(machine->interrupts >= images, "an interrupt for each inference");
  for (size_t at = 0; at < wanted.size(); at++) {
    if (found[at] == wanted[at]) continue;
    std::fprintf(stderr, "system: image %zu, byte %zu is %d, expected %d\n", at / output.bytes,
                 at % output.bytes, found[at],
                 wanted[at]);
    return 1;
  }
#ifdef SYSTEM_DMA
  {
    uint8_t *buffer = read_only.at(buffers);
    const void *user = inputs.data();
    Need(heddle_pack(&net, &user, 1, buffer, work.data()), "heddle_pack");
    CheckBus(machine.get(), &device, net, buffer, read_write.begin);
  }
#endif
  // A program that is stopped, and a reset, after which everything is right again.
  const void *user = inputs.data();
  uint8_t *buffer = read_only.at(buffers);
  void *out = read_write.begin;
  const void *in = buffer;
  Need(heddle_pack(&net, &user, 1, buffer, work.data()), "heddle_pack");
  Need(heddle_submit(&device, &net, &in, &out, 1), "heddle_submit");
  Need(heddle_wait(&device, cycles / 2) == HEDDLE_E_LIMIT, "the limit is reached");
  Need(heddle_reset(&device), "heddle_reset");
  Need(heddle_submit(&device, &net, &in, &out, 1), "heddle_submit");
  Need(heddle_wait(&device, 1000000), "heddle_wait");
  output.Unpack(net, out, found.data(), work.data());
  Need(std::memcmp(found.data(), wanted.data(), output.bytes) == 0,
       "the same outputs after a reset");
  if (net.scratch_bytes > 0) std::printf("%u bytes of scratch, ", net.scratch_bytes);
  std::printf("%zu images exact, %u cycles each, load %u clocks, then %zu an image", images, cycles,
              loaded, each);
#ifdef SYSTEM_DMA
  PrintBeats(*machine);
#endif
  std::printf("\n");
  return 0;
}
