/* Images that are right, on machines that are right. */
#include "bench.h"

void check_runs(void) {
  begin();
  check_memories();
  /* Once for the program, 4 and 2 times for words, 10 for zeros, then for columns, rows, tables,
   * the cluster. */
  CHECK(ring_log > 0 || machine.seeks == 1 + 4 + 2 + 10 + 4 + 2 + 1 + 4,
        "PORT_ADDR is written %u times", machine.seeks);
  CHECK(net.input_bytes == 64 && net.output_bytes == 64 && net.work_bytes == 64, "whole lines");
  infer(1);
  infer(3);
  CHECK(machine.starts == 4, "%u starts", machine.starts);
  expect(heddle_poll(&driver), HEDDLE_OK, "poll behind the end");
  check_memories();
  /* With an interrupt the processor looks at no register while the program runs. */
  driver.platform.wait_irq = device_wait_irq;
  infer(2);
  CHECK((ring_log > 0 ? machine.interrupts > 0 : machine.interrupts == 2) && machine.enabled == 0,
        "%u interrupts", machine.interrupts);
  expect(heddle_reset(&driver), HEDDLE_OK, "reset");
  infer(1);
  /* Poll by poll. */
  const void *inputs[] = {input};
  void *outputs[] = {output};
  driver.platform.wait_irq = NULL;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_OK, "submit");
  expect(heddle_poll(&driver), HEDDLE_BUSY, "poll");
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_OPEN,
         "submit while one is under way");
  expect(load_image(bytes_of_sample()), HEDDLE_E_OPEN, "load while one is under way");
  unsigned polls = 0;
  while (heddle_poll(&driver) == HEDDLE_BUSY) polls++;
  CHECK(ring_log > 0 ? polls > 0 : polls == 4, "%u polls", polls);
  CHECK(machine.happened % 16 / 8 == 0, "no access was refused");
  CHECK(with_dma || machine.dma.taken == 0, "no job was taken");
  CHECK((ring_log > 0) == (machine.dma.taken > 0) && (ring_log > 0) == (machine.seeks == 0),
        "the ring alone, or the window port alone");
  /* A program in banks of the state buffer; a section of a kind that nobody knows. */
  new_machine();
  machine.banks = 1;
  machine.caps |= 4;
  expect(open_driver(), HEDDLE_OK, "open");
  builder own = sample();
  own.with_unknown = 1;
  expect(load_image(build(&own, image)), HEDDLE_OK, "load with a section that nobody knows");
  check_memories();
  infer(2);
}

void check_information(void) {
  heddle_tensor_info info;
  uint32_t counters[30];
  begin();
  expect(heddle_tensor(&net, HEDDLE_INPUT, 0, &info), HEDDLE_OK, "input 0");
  CHECK(strcmp(info.name, "in") == 0 && info.type == HEDDLE_INT8 && info.rank == 2, "%s",
        info.name);
  CHECK(info.extents[0] == 4 && info.extents[1] == 7 && info.extents[2] == 0 && info.bytes == 28,
        "extents");
  CHECK(info.scale == 0.5f && info.zero_point == 3, "scale %f", (double)info.scale);
  expect(heddle_tensor(&net, HEDDLE_OUTPUT, 1, &info), HEDDLE_OK, "output 1");
  CHECK(strcmp(info.name, "best") == 0 && info.type == HEDDLE_INT32 && info.bytes == 32, "%s",
        info.name);
  expect(heddle_tensor(&net, HEDDLE_INPUT, 1, &info), HEDDLE_E_TENSORS, "input 1");
  expect(heddle_tensor(&net, HEDDLE_OUTPUT, 2, &info), HEDDLE_E_TENSORS, "output 2");
  expect(heddle_counters(&driver, 0x118, 26, counters), HEDDLE_OK, "counters");
  CHECK(counters[0] == 0x118 && counters[2] == 0 && counters[25] == 0x17C, "all of them");
  expect(heddle_counters(&driver, 0x114, 1, counters), HEDDLE_E_COUNTER, "no counter");
  expect(heddle_counters(&driver, 0x119, 1, counters), HEDDLE_E_COUNTER, "between two");
  heddle_status of_dma = with_dma ? HEDDLE_OK : HEDDLE_E_COUNTER;
  expect(heddle_counters(&driver, 0x17C, 2, counters), of_dma, "a counter of the DMA");
  CHECK(!with_dma || counters[1] == machine.dma.counters[0], "words of loads");
  expect(heddle_counters(&driver, 0x1A8, 1, counters), of_dma, "the last one");
  expect(heddle_counters(&driver, 0x1A8, 2, counters), HEDDLE_E_COUNTER, "behind the last one");
  CHECK(machine.happened % 16 / 8 == 0, "no access was refused");
}
