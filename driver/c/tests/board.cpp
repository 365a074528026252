// The board of docs/system.md: a machine with a DMA under Verilator, and files as flash.
#include "board.h"

#ifdef SYSTEM_DMA
#include "machine.h"

#include <cstring>
#include <string>

alignas(4096) uint8_t board_in[BOARD_IN_BYTES];
alignas(4096) uint8_t board_out[BOARD_OUT_BYTES];

extern "C" int page_main(void);

namespace {

Machine *machine;
std::string folder;

}  // namespace

uint32_t board_read32(void *, uint32_t offset) { return machine->ReadWord(offset); }
void board_write32(void *, uint32_t offset, uint32_t word) { machine->Write(offset, word); }
uint32_t board_now(void *) { return machine->clocks; }
int board_to_bus(void *, const void *place, uint64_t *address) {
  return machine->memory.ToBus(place, address);
}
// The memory of the model has no cache in front of it.
void board_clean(void *, const void *, size_t) {}
void board_invalidate(void *, void *, size_t) {}

size_t board_flash(const char *name, void *place) {
  const Bytes file = Read((folder + "/" + name).c_str());
  Need(file.size() <= BOARD_IN_BYTES, "a file is too large");
  std::memcpy(place, file.data(), file.size());
  return file.size();
}

int RunPage(const char *files) {
  Machine own;
  machine = &own;
  folder = files;
  own.Reset();
  own.memory.Add(0x40000000, board_in, sizeof board_in);
  own.memory.Add(0x7FFF0000, board_out, sizeof board_out);
  return page_main();
}
#endif
