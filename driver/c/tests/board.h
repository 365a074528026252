/* What the page docs/system.md calls a board: registers, a clock, caches, and where things are. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

#define BOARD_IN_BYTES 65536
#define BOARD_OUT_BYTES 4096
#define BOARD_SECOND 1000000 /* ticks of board_now */

#ifdef __cplusplus
extern "C" {
#endif

/* Whole pages of 4 KiB; the bus address of a byte is that of the processor plus an offset. */
extern uint8_t board_in[BOARD_IN_BYTES], board_out[BOARD_OUT_BYTES];

uint32_t board_read32(void *board, uint32_t offset);
void board_write32(void *board, uint32_t offset, uint32_t word);
uint32_t board_now(void *board);
int board_to_bus(void *board, const void *place, uint64_t *address);
void board_clean(void *board, const void *begin, size_t bytes);
void board_invalidate(void *board, void *begin, size_t bytes);
/* Reads a file of flash, and says how many bytes it has. */
size_t board_flash(const char *name, void *place);

#ifdef __cplusplus
}
#endif
#endif
