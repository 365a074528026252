/* Where things are for the processor, and for the DMA: one memory, one address each. */
#ifndef SOC_H
#define SOC_H

#include <stdint.h>

#define SOC_IMAGES 3
/* Of a picture, and of its scores. */
#define SOC_PICTURE 64
#define SOC_SCORES 10

#define SOC_MEMORY 0x00100000u /* bytes, from 0 on: code and data of the processor first */
#define SOC_STACK 0x00020000u  /* its end */
#define SOC_POOL_IN 0x00040000u
#define SOC_POOL_IN_BYTES 0x00020000u
#define SOC_POOL_OUT 0x00080000u
#define SOC_POOL_OUT_BYTES 0x00001000u
#define SOC_USER 0x000C0000u /* a soc_user */
#define SOC_REGISTERS 0x80000000u
#define SOC_END 0xC0000000u /* a store here ends the simulation: 0, or where the text of an error is */

/* The ring is the first page of the pool, the image comes behind it. */
#define SOC_IMAGE (SOC_POOL_IN + 0x1000u)

/* What the test bench gives and gets. */
typedef struct soc_user {
  uint32_t image_bytes;
  /* Cycles of the processor at which the machine was open, the image loaded, the pictures submitted, the scores there. */
  uint32_t opened, loaded, submitted, done;
  uint32_t interrupts; /* of the machine */
  int8_t pictures[SOC_IMAGES][SOC_PICTURE];
  int8_t scores[SOC_IMAGES][SOC_SCORES];
} soc_user;

#endif
