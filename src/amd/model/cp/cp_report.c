/* The report of a lost context: the ring, the buffer, the packet with the stream around it, the shader's
 * instruction, the address with the buffers around it. Nothing here is called while all goes well. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/hw/decode.h"
#include "amd/isa/isa.h"
#include "amd/model/cp/cp_machine.h"
#include "amd/model/sq/sq_wave.h"
#include "util/bits.h"

#define PACKETS_AROUND 8
#define INSTRUCTIONS_AROUND 4

/* ---- the stream ---- */

/* The length of the packet at `at_dw`, cut at the buffer's end; 0 when it cannot be read. */
static uint32_t packet_length(const struct cp_machine *m, const struct cp_buffer *buffer, uint32_t at_dw)
{
    uint32_t header;
    if (m->ring_kind == AMD_RING_SDMA)
        return MIN2(amd_sdma_packet_length(m, buffer->va + 4ull * at_dw), buffer->size_dw - at_dw);
    if (gpu_space_read(m->space, buffer->va + 4ull * at_dw, &header, 4) != 4)
        return 0;
    uint32_t length_dw =
        AMD_PKT_TYPE(header) == 3 && header >> 16 != AMD_PKT3_NOP_FILLER >> 16 ? AMD_PKT_COUNT(header) + 2 : 1;
    return MIN2(length_dw, buffer->size_dw - at_dw);
}

static void describe_packet(struct cp_machine *m, const struct cp_buffer *buffer, uint32_t at_dw, uint32_t length_dw,
                            bool is_culprit)
{
    struct strbuf *text = &m->error.text;
    uint32_t *words = malloc(4ull * length_dw);
    if (!words || gpu_space_read(m->space, buffer->va + 4ull * at_dw, words, 4ull * length_dw) != 4ull * length_dw) {
        free(words);
        return;
    }
    struct strbuf decoded = {0};
    const struct hw_decode_options options = {
        .generation = m->gfx, .stream = m->ring_kind == AMD_RING_SDMA ? AMD_STREAM_SDMA : AMD_STREAM_PM4};
    amd_decode_stream(&decoded, &options, words, length_dw);
    free(words);
    /* The decoder counts from the words that it gets: its offset column gives way to one that counts from the buffer.
     */
    bool first = true;
    for (char *line = decoded.text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (first && strlen(line) > 8)
            strbuf_printf(text, "  %s +%06x%s\n", is_culprit ? "->" : "  ", 4 * at_dw, line + 8);
        else
            strbuf_printf(text, "            %s\n", line);
        first = false;
    }
    strbuf_finish(&decoded);
}

static void describe_stream(struct cp_machine *m)
{
    const struct cp_buffer *buffer = &m->stack[m->depth - 1];
    uint32_t starts[PACKETS_AROUND + 1], count = 0, length_dw;
    /* Packets can be found from the beginning alone. */
    for (uint32_t at = 0; at < m->packet_at_dw && (length_dw = packet_length(m, buffer, at)); at += length_dw)
        starts[count++ % PACKETS_AROUND] = at;
    strbuf_append(&m->error.text, "  stream:\n");
    for (uint32_t i = count > PACKETS_AROUND ? count - PACKETS_AROUND : 0; i < count; i++) {
        uint32_t at = starts[i % PACKETS_AROUND];
        describe_packet(m, buffer, at, packet_length(m, buffer, at), false);
    }
    uint32_t at = m->packet_at_dw;
    for (uint32_t i = 0; i <= PACKETS_AROUND && at < buffer->size_dw && (length_dw = packet_length(m, buffer, at));
         i++) {
        describe_packet(m, buffer, at, length_dw, i == 0);
        at += length_dw;
    }
}

static void describe_place(struct cp_machine *m)
{
    struct strbuf *text = &m->error.text;
    strbuf_printf(text, "%s ring %u, buffer %u of %u", amd_ring_name(m->ring_kind), m->ring, m->ib + 1,
                  m->work->ib_count);
    for (uint32_t i = 0; i < m->depth; i++) {
        const struct cp_buffer *buffer = &m->stack[i];
        uint32_t at_dw = i + 1 == m->depth ? m->packet_at_dw : buffer->at_dw;
        strbuf_printf(text, "%s 0x%llx+0x%x (%u dwords)", i ? ", in the call of" : " at",
                      (unsigned long long)buffer->va, 4 * at_dw, buffer->size_dw);
    }
    strbuf_append(text, ": ");
}

static void begin_report(struct cp_machine *m, int code)
{
    m->error.code = code;
    strbuf_clear(&m->error.text);
    describe_place(m);
}

static bool end_with(struct cp_machine *m, int code, const char *format, va_list args)
{
    begin_report(m, code);
    strbuf_vprintf(&m->error.text, format, args);
    strbuf_append(&m->error.text, "\n");
    describe_stream(m);
    return false;
}

bool amd_cp_incoherent(struct cp_machine *m)
{
    begin_report(m, -EIO);
    strbuf_printf(&m->error.text, "coherence: %s", m->incoherence.failed ? "no memory" : m->incoherence.text);
    return false;
}

bool amd_cp_stop(struct cp_machine *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    end_with(m, -ENOSYS, format, args);
    va_end(args);
    return false;
}

bool amd_cp_broken(struct cp_machine *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    end_with(m, -EIO, format, args);
    va_end(args);
    return false;
}

bool amd_cp_unwritten(struct cp_machine *m, uint32_t index)
{
    char name[64] = "?";
    unsigned element;
    const struct hw_reg *reg = amd_reg_find(m->gfx, cp_reg_offset_B(index), &element);
    if (reg)
        hw_reg_name(reg, element, name, sizeof(name));
    return amd_cp_broken(m, "strict mode: register %s is read, and nothing has written it", name);
}

static void describe_address(struct cp_machine *m, uint64_t va)
{
    if (m->device->host && m->device->host->describe_address)
        m->device->host->describe_address(m->space, va, &m->error.text);
}

bool amd_cp_fault(struct cp_machine *m, uint64_t va, uint64_t size_B, bool is_write)
{
    begin_report(m, -EFAULT);
    strbuf_printf(&m->error.text, "%s %llu bytes at 0x%llx, which is not mapped so\n",
                  is_write ? "a write of" : "a read of", (unsigned long long)size_B, (unsigned long long)va);
    describe_address(m, va);
    describe_stream(m);
    return false;
}

bool amd_cp_killed(struct cp_machine *m)
{
    begin_report(m, -ETIME);
    strbuf_append(&m->error.text, "killed here\n");
    describe_stream(m);
    return false;
}

/* ---- shaders ---- */

static enum isa_gfx isa_of(const struct cp_machine *m)
{
    return m->gfx == AMD_GFX9 ? ISA_GFX_9 : m->gfx == AMD_GFX11 ? ISA_GFX_11 : ISA_GFX_10_3;
}

static int decode_at(const struct cp_machine *m, uint64_t pc, struct isa_inst *inst, uint32_t words[ISA_MAX_DW])
{
    memset(words, 0, ISA_MAX_DW * sizeof(words[0]));
    uint64_t got_B = gpu_space_read(m->space, pc, words, ISA_MAX_DW * sizeof(words[0]));
    return amd_isa_decode(isa_of(m), words, got_B / 4, inst);
}

static uint64_t describe_instruction(struct cp_machine *m, uint64_t pc, uint64_t program_va, uint32_t wave_size,
                                     bool is_culprit)
{
    struct isa_inst inst;
    uint32_t words[ISA_MAX_DW];
    char line[ISA_MAX_TEXT];
    int size_dw = decode_at(m, pc, &inst, words);
    if (size_dw > 0)
        amd_isa_print(isa_of(m), wave_size, &inst, line);
    else
        snprintf(line, sizeof(line), "? 0x%08x 0x%08x 0x%08x", words[0], words[1], words[2]);
    strbuf_printf(&m->error.text, "  %s %+06lld  %s\n", is_culprit ? "->" : "  ", (long long)(pc - program_va), line);
    return size_dw > 0 ? pc + 4 * (uint64_t)size_dw : pc;
}

/* The instructions around pc. Those before it are found from the program's first one; where that does not lead to pc
 * they are left out. */
static void describe_code(struct cp_machine *m, uint64_t pc, uint64_t program_va, uint32_t wave_size)
{
    uint64_t starts[INSTRUCTIONS_AROUND], at = program_va;
    uint32_t count = 0;
    struct isa_inst inst;
    uint32_t words[ISA_MAX_DW];
    for (int size_dw; at < pc && (size_dw = decode_at(m, at, &inst, words)) > 0; at += 4 * (uint64_t)size_dw)
        starts[count++ % INSTRUCTIONS_AROUND] = at;
    if (at == pc) {
        for (uint32_t i = count > INSTRUCTIONS_AROUND ? count - INSTRUCTIONS_AROUND : 0; i < count; i++)
            describe_instruction(m, starts[i % INSTRUCTIONS_AROUND], program_va, wave_size, false);
    }
    at = pc;
    for (uint32_t i = 0; i <= INSTRUCTIONS_AROUND; i++) {
        uint64_t next = describe_instruction(m, at, program_va, wave_size, i == 0);
        if (next == at)
            return;
        at = next;
    }
}

bool amd_cp_shader_fault(struct cp_machine *m, const char *stage, uint64_t program_va, uint32_t wave_size,
                         const struct sq_fault *fault)
{
    static const int codes[] = {
        [SQ_FAULT_NONE] = -EIO,   [SQ_FAULT_MEMORY] = -EFAULT, [SQ_FAULT_INSTRUCTION] = -ENOSYS,
        [SQ_FAULT_STRICT] = -EIO, [SQ_FAULT_KILLED] = -ETIME,
    };
    struct strbuf *text = &m->error.text;
    begin_report(m, codes[fault->kind]);
    strbuf_printf(text, "%s 0x%llx (wave%u) at pc 0x%llx: ", stage, (unsigned long long)program_va, wave_size,
                  (unsigned long long)fault->pc);
    if (fault->kind == SQ_FAULT_MEMORY)
        strbuf_printf(text, "%s 0x%llx, which is not mapped so; ", fault->is_write ? "a write to" : "a read of",
                      (unsigned long long)fault->va);
    strbuf_printf(text, "%s\n",
                  fault->why                       ? fault->why
                  : fault->kind == SQ_FAULT_KILLED ? "killed here"
                                                   : "it faulted");
    if (fault->kind == SQ_FAULT_MEMORY)
        describe_address(m, fault->va);
    if (fault->pc) {
        strbuf_append(text, "  code:\n");
        describe_code(m, fault->pc, program_va, wave_size);
    }
    describe_stream(m);
    return false;
}
