// The registers of the DMA: accesses and what stands around are free. Of the pages of windows one is watched, any one. The table of registers and
// of the wrong times (docs/registers.md) is written down once more. Assumed of `csr`: no access before `ready_o`.
module dma_registers (
  input wire clk
);
  (* anyseq *) reg alive, writes, whole, reads, resetting, queue, busy, lock;
  (* anyseq *) reg [11:0] waddr, raddr;
  (* anyseq *) reg [31:0] data, error_addr, passed, region_high;
  (* anyseq *) reg [40:0] error;
  (* anyseq *) reg [9:0] head;
  (* anyseq *) reg [127:0] region_low;
  (* anyseq *) reg [7:0] permit;
  (* anyseq *) reg [10:0] events;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire takes, known, ready, w_base, w_limit, w_ctrl;
  wire [31:0] word, late, region_data, base;
  wire [7:0] region_wen;
  wire [1:0] window;
  wire [27:0] page;
  wire [3:0] size;
  wire [9:0] tail;
  wire [15:0] attr;
  wire [4:0] limit;
  wire write = writes && ready, read = reads && ready;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .write_i(write), .write_addr_i(waddr), .write_data_i(data), .write_whole_i(whole),
    .takes_o(takes), .read_addr_i(raddr), .read_i(read), .known_o(known), .word_o(word), .late_word_o(late),
    .ready_o(ready), .resetting_i(resetting), .queue_i(queue), .busy_i(busy), .lock_i(lock), .error_code_i(error[7:0]),
    .error_source_i(error[11:8]), .error_resp_i(error[13:12]), .error_program_i(error[14]), .error_pc_i(error[30:15]),
    .error_index_i(error[40:31]), .error_addr_i(error_addr), .head_i(head), .passed_i(passed), .region_low_i(region_low),
    .region_high_i(region_high), .region_wen_o(region_wen), .region_data_o(region_data), .permit_i(permit),
    .window_base_o(w_base), .window_limit_o(w_limit), .window_ctrl_o(w_ctrl), .window_window_o(window),
    .window_data_o(page), .base_o(base), .size_o(size), .tail_o(tail), .attr_o(attr), .timeout_o(limit), .event_i(events));

  (* hierconn *) wire [2:0] \u_dut.u_windows.watched ;
  (* hierconn *) wire [27:0] \u_dut.u_windows.word_q , \u_dut.windows_rdata ;
  (* hierconn *) wire [3:0] \u_dut.cleared_q ;
  (* hierconn *) wire \u_dut.windows_wen , \u_dut.windows_ren , \u_dut.reads_window_q , \u_dut.counters_read ;
  (* hierconn *) wire [2:0] \u_dut.windows_waddr ;
  (* hierconn *) wire [31:0] \u_dut.counters_count ;
  (* hierconn *) wire [7:0] \u_dut.base_high_q ;
  wire [2:0] mine = \u_dut.u_windows.watched ;
  wire [11:0] my_addr = 12'hc0 + {mine[2:1], 1'b0, mine[0], 2'd0};

  // Which writes are taken
  reg may;
  wire rests = !queue && !busy;
  wire is_region = waddr >= 12'h80 && waddr < 12'ha0, is_window = waddr >= 12'hc0 && waddr < 12'h100 && waddr[3:2] != 3;
  always @(*) begin
    may = 0;
    case (waddr)
      12'h54, 12'h58: may = !queue;
      12'h5c: may = !queue && data[3:0] >= 1 && data[3:0] <= 10;
      12'h60: may = {1'b0, data[9:0]} < 17'd1 << size;
      12'h6c: may = rests && !lock;
      12'h70: may = rests;
    endcase
    if (is_region) may = rests;
    if (is_window) may = rests && !lock;
    if (waddr[1:0] != 0 || !whole || resetting || !write) may = 0;
  end
  // What registers keep, and the page of the watched one, once it was written
  reg [31:0] is_base = 0;
  reg [7:0] is_high = 0;
  reg [3:0] is_size = 1;
  reg [9:0] is_tail = 0;
  reg [15:0] is_attr = 16'h2002;
  reg [4:0] is_limit = 20;
  reg [27:0] is_page = 0;
  // Clocks since the reset, up to 8
  reg [3:0] age = 0;
  // The read of the clock before: of the watched page, of any page
  reg was_page = 0, was_pages = 0;
  reg [27:0] old_page;
  wire of_pages = raddr >= 12'hc0 && raddr < 12'h100 && !raddr[3] && raddr[1:0] == 0;
  wire of_counter = raddr >= 12'h180 && raddr < 12'h1ac && raddr[1:0] == 0;
  always @(posedge clk) begin
    if (may && waddr == 12'h54) is_base <= {data[31:6], 6'd0};
    if (may && waddr == 12'h58) is_high <= data[7:0];
    if (may && waddr == 12'h5c) is_size <= data[3:0];
    if (may && waddr == 12'h60) is_tail <= data[9:0];
    if (may && waddr == 12'h6c) is_attr <= data[15:0] & 16'hff7f;
    if (may && waddr == 12'h70) is_limit <= data[4:0];
    if (may && waddr == my_addr) is_page <= data[19:0];
    if (resetting) is_tail <= 0;
    if (!rst_n) {is_base, is_high, is_size, is_tail, is_attr, is_limit, is_page} <= {32'd0, 8'd0, 4'd1, 10'd0, 16'h2002, 5'd20, 28'd0};
    age <= !rst_n ? 0 : age + (age != 8);
    was_pages <= rst_n && read && of_pages;
    was_page <= read && raddr == my_addr;
    old_page <= may && waddr == raddr ? 0 : is_page;
  end

  // What a read gives
  reg is_known;
  reg [31:0] value;
  always @(*) begin
    is_known = 1;
    value = 0;
    case (raddr)
      12'h24: value = error_addr;
      12'h28: value = 0;
      12'h54: value = is_base;
      12'h58: value = is_high;
      12'h5c: value = is_size;
      12'h60: value = is_tail;
      12'h64: value = head;
      12'h68: value = passed;
      12'h6c: value = is_attr;
      12'h70: value = is_limit;
      12'h80, 12'h88, 12'h90, 12'h98: value = region_low[32*raddr[4:3]+:32];
      12'h84, 12'h8c, 12'h94, 12'h9c: value = region_high[8*raddr[4:3]+:8];
      12'hc8, 12'hd8, 12'he8, 12'hf8: value = permit[2*raddr[5:4]+:2];
      default: is_known = of_pages || of_counter;
    endcase
  end
  wire clears = rst_n && age < 8;
  always @(*) begin
    if (begun) begin
      taken: assert (takes == may);
      keeps: assert (base == is_base && size == is_size && tail == is_tail && attr == is_attr && limit == is_limit);
      gives: assert (known == is_known && word == (is_known ? value : 0));
      gives_page: assert (!was_page || !was_pages || late == {4'd0, old_page});
      gives_count: assert ( \u_dut.counters_read == (read && of_counter) && (was_pages || late == \u_dut.counters_count ));
      regions: assert (region_wen == (may && is_region ? 8'd1 << waddr[4:2] : 0) &&
        (!may || !is_region || region_data == (waddr[2] ? data : {data[31:3], 3'd0})));
      windows: assert (!ready || ({w_ctrl, w_limit, w_base} == (may && is_window ? 3'd1 << waddr[3:2] : 0) &&
        (!may || !is_window || (window == waddr[5:4] && page == data[19:0]))));
      clean: assert (!clears || (page == 0 && !w_ctrl && w_limit == age[0] && w_base == !age[0] && window == age[2:1]));
      waits: assert (ready == (rst_n && age == 8));
      apart: assert (!( \u_dut.windows_wen && \u_dut.windows_ren && \u_dut.windows_waddr == {raddr[5:4], raddr[2]}));
      inv_high: assert (\u_dut.base_high_q == is_high);
      inv_age: assert (\u_dut.cleared_q == age && age <= 8);
      inv_page: assert (is_page == (age > mine ? \u_dut.u_windows.word_q : 0));
      reach_page: assert (!(was_page && was_pages && late != 0));
      reach_meets: assert (!(may && read && waddr == raddr && waddr == my_addr && is_page != 0));
      reach_tail: assert (!(may && waddr == 12'h60 && size == 10 && data[9:0] == 10'h3ff));
      reach_high: assert (!(is_known && raddr == 12'h58 && word != 0));
    end
  end
endmodule
