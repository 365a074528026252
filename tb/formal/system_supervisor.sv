// The first error, RESET and the queue: the supervisor with the registers in front of it. Writes of registers are free, so are engine, job list and
// bus. Assumed is that the DMA tells its error until it is cleared, and finds no other one while all is stopped.
module system_supervisor (
  input wire clk
);
  (* anyseq *) reg alive, write, whole, running, done, engine_error, starts_job, late, fence, interrupt, job_error, no_entry,
    idle, expired, open, held, fault_rises, port_busy, starting;
  (* anyseq *) reg [11:0] addr;
  (* anyseq *) reg [31:0] data, fault_addr;
  (* anyseq *) reg [7:0] engine_code;
  (* anyseq *) reg [3:0] engine_source, fault_code, fault_source;
  (* anyseq *) reg [15:0] engine_pc, fault_origin;
  (* anyseq *) reg [9:0] run_index, error_index;
  (* anyseq *) reg [1:0] fault_resp;
  (* anyseq *) reg fault_program;
  reg begun = 0, fault = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire resetting, start, engine_rst_n, valid, on, lock_on, resets, queue, lock, failed, hung, stop, clear, settled, runs, own, is_done,
    empty, emptied, program;
  wire [7:0] code;
  wire [3:0] source;
  wire [1:0] resp;
  wire [15:0] pc;
  wire [9:0] index;
  wire [31:0] at, passed;
  system_csr u_csr (.clk(clk), .rst_n(rst_n), .write_i(write), .write_addr_i(addr), .write_data_i(data),
    .write_whole_i(whole), .read_i(1'b0), .read_addr_i(12'd0), .running_i(runs), .done_i(done), .error_i(failed),
    .code_i(code), .source_i(source), .pc_i(pc), .cluster_busy_i(1'b0), .port_busy_i(port_busy), .starting_i(starting),
    .port_taken_i(1'b0), .engine_rst_n_o(engine_rst_n), .resetting_o(resetting), .start_o(start), .dma_takes_i(1'b0),
    .dma_known_i(1'b0), .dma_queue_i(queue), .dma_lock_i(lock), .dma_hung_i(hung), .dma_busy_i(!idle), .dma_index_i(index),
    .dma_done_i(is_done), .dma_emptied_i(emptied), .dma_settled_i(settled), .ctrl_valid_o(valid), .ctrl_queue_o(on),
    .ctrl_lock_o(lock_on), .ctrl_reset_o(resets));
  system_dut u_dut (.clk(clk), .rst_n(rst_n), .ctrl_valid_i(valid), .ctrl_queue_i(on), .ctrl_lock_i(lock_on),
    .ctrl_reset_i(resets), .resetting_i(resetting), .start_i(start), .engine_running_i(running), .engine_done_i(done),
    .engine_error_i(engine_error), .engine_code_i(engine_code), .engine_source_i(engine_source), .engine_pc_i(engine_pc),
    .jobs_start_i(starts_job), .jobs_run_index_i(run_index), .jobs_late_i(late), .jobs_fence_i(fence),
    .jobs_interrupt_i(interrupt), .jobs_error_i(job_error), .jobs_error_index_i(error_index), .jobs_empty_i(no_entry),
    .fault_valid_i(fault), .fault_code_i(fault_code), .fault_source_i(fault_source), .fault_resp_i(fault_resp),
    .fault_addr_i(fault_addr), .fault_program_i(fault_program), .fault_origin_i(fault_origin), .idle_i(idle),
    .expired_i(expired), .open_i(open), .held_i(held), .queue_o(queue), .lock_o(lock), .failed_o(failed),
    .error_code_o(code), .error_source_o(source), .error_resp_o(resp), .error_program_o(program), .error_pc_o(pc),
    .error_index_o(index), .error_addr_o(at), .hung_o(hung), .stop_o(stop), .clear_o(clear), .settled_o(settled),
    .running_o(runs), .own_o(own), .done_o(is_done), .empty_o(empty), .emptied_o(emptied), .passed_o(passed));
  (* hierconn *) wire [12:0] \u_dut.age_q ;
  (* hierconn *) wire [2:0] \u_csr.reset_left_q ;

  // Nothing may begin; a write of CTRL: bit 0 START, 1 RESET, 4 QUEUE, 8 LOCK
  wire bad = failed || hung || resetting;
  wire wrong = data[0] && (runs || starting || start || queue || failed || hung || data[4]) || data[4] && (failed || hung);
  wire is_ctrl = write && whole && addr == 12'h014 && !resetting && (data[1] || !wrong);
  wire is_reset = is_ctrl && data[1];
  // An error of this clock
  wire cause = engine_error || fault || job_error || late || \u_dut.age_q == 4096;
  wire fails = cause && !bad;
  wire [9:0] of_run = own ? 0 : run_index;
  wire [72:0] error = {code, source, resp, program, pc, index, at};
  reg [72:0] first = 0;
  reg is_failed = 0, is_hung = 0, is_own = 0, was_done = 0, was_full = 0, may_start = 0, was_fault = 0, is_on = 0, locked = 0, was_resetting = 0,
    has_failed = 0;
  reg [2:0] left = 0;
  reg [12:0] age = 0;
  reg [31:0] fences = 0;
  always @(posedge clk) begin
    fault <= rst_n && !clear && (fault || (fault_rises && !stop));
    was_fault <= fault;
    left <= !rst_n ? 0 : is_reset ? 7 : left != 0 && (idle || hung) ? left - 1 : left;
    was_resetting <= !rst_n || resetting;
    is_failed <= rst_n && !resetting && (failed || fails);
    is_hung <= rst_n && !idle && (hung || (bad && expired) || (fails && fault && fault_code == 12));
    // The engine's goes first, then the DMA's, a bad entry, a late program, a load that is not taken
    if (!rst_n || resetting) first <= 0;
    else if (fails) first <=
      engine_error ? {engine_code, engine_source, 3'd0, engine_pc, of_run, 32'd0} :
      fault ? {4'd0, fault_code, fault_source, fault_resp, fault_program, fault_program ? {fault_origin, of_run} :
        {16'd0, fault_origin[9:0]}, fault_addr} :
      job_error ? {8'd14, 4'd6, 19'd0, error_index, 32'd0} :
      late ? {8'd12, 4'd6, 19'd0, of_run, 32'd0} : {8'd6, 4'd4, 19'd0, of_run, 32'd0};
    is_own <= rst_n && (own || start) && !starts_job;
    may_start <= rst_n && is_ctrl && data[0] && !data[1];
    is_on <= rst_n && !fails && !failed && !resetting && !is_reset && (is_ctrl ? data[4] : queue);
    locked <= rst_n && (lock || (is_ctrl && data[8]));
    has_failed <= rst_n && (has_failed || failed);
    fences <= !rst_n || resetting ? 0 : passed + fence;
    was_done <= rst_n && done;
    was_full <= rst_n && !(no_entry && !open) && !stop;
    age <= rst_n && held && age != 4096 ? age + 1 : 0;
  end

  always @(*) begin
    if (begun) begin
      heard: assert (failed == is_failed);
      is_first: assert (error == first);
      stops: assert (stop == bad && !(queue && bad));
      hangs: assert (hung == is_hung);
      waits: assert (resetting == (left != 0) && engine_rst_n == !was_resetting);
      forgets: assert (clear == ((resetting || hung) && idle));
      fresh: assert (!fault || bad || !was_fault);
      starts: assert (start == may_start);
      switches: assert (queue == is_on && lock == locked);
      rests: assert (runs == (running || (failed && !idle && !hung)));
      tells: assert (own == is_own && is_done == ((done && !was_done && own) || interrupt) && empty == (no_entry && !open) &&
        emptied == (was_full && empty && !bad) && passed == fences);
      inv_age: assert (\u_dut.age_q == age);
      inv_left: assert (\u_csr.reset_left_q == left);
      inv_clean: assert (failed || error == 0);
      reach_again: assert (!(has_failed && queue && passed == 1));
      reach_start: assert (!(has_failed && start));
      reach_hung: assert (!(hung && !failed && !resetting && idle));
      reach_waits: assert (!(resetting && engine_error && fault && age == 6));
      reach_second: assert (!(failed && code == 14 && fault && engine_error));
    end
  end
endmodule
