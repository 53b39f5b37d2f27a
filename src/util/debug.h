/* TUFF_DEBUG=word,word: switches that print a stage or change how it runs. The table below is the only list of them;
 * TUFF_DEBUG=help prints it. Every row names a switch that some code looks at. */
#ifndef UTIL_DEBUG_H
#define UTIL_DEBUG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*    NAME        word         what it does */
#define DEBUG_FLAGS(X)                                                                                                 \
    X(COHERENCE, "coherence", "stop a job that reads what caches may not have brought to memory yet (docs/coherence.md)")     \
    X(CRASH, "crash", "write what a lost job leaves behind to a file tuff-crash-PID-N.txt in TUFF_DUMP (default: .)")     \
    X(ENTRYPOINTS, "entrypoints", "print every Vulkan call that passes the trace layer")                               \
    X(HANG, "hang", "wait for every submission, and write a report to TUFF_DUMP (default: .) when the GPU is lost")      \
    X(GMEM, "gmem", "draw all passes that fit a tiler's memory tile by tile")                                           \
    X(IBS, "ibs", "write every submitted indirect buffer to a file tuff-ib-PID-N.bin in TUFF_DUMP (default: .)")       \
    X(GFX32, "gfx32", "compile vertex and fragment shaders for waves of 32 lanes")                                     \
    X(IR, "ir", "print a shader after every compiler pass that changed it")                                            \
    X(JIT, "jit", "tell of every run of a modelled shader that becomes host code, and write it to TUFF_DUMP (default: .)")\
    X(JITNOW, "jitnow", "make host code of a modelled shader's runs when they are first reached, not when they are worth it") \
    X(NOJIT, "nojit", "let the model interpret every instruction")                                                     \
    X(NONGG, "nongg", "use the old vertex stage of a GPU that has NGG instead of it")                                    \
    X(NOBIN, "nobin", "draw tiles without a pass that finds out which primitives touch which tile")                    \
    X(NODCC, "nodcc", "let no colour image use DCC, so that it is neither compressed nor cleared by metadata")         \
    X(NOFMASK, "nofmask", "let no colour image of several samples use FMASK")                                         \
    X(NOHIZ, "nohiz", "let no depth image use HTILE")                                                                  \
    X(NOLRZ, "nolrz", "let no depth image have a low-resolution copy that rejects fragments early")                     \
    X(NOUBWC, "noubwc", "let no image be compressed with UBWC")                                                        \
    X(NULL_GPU, "null", "a modelled GPU takes every submission and executes none: for compilers and recording alone")    \
    X(RD, "rd", "capture submitted streams with their buffers in a file tuff-PID.rd in TUFF_DUMP (default: .)")           \
    X(REPLAY, "replay", "keep the commands of secondary command buffers and record them again where they run")        \
    X(SHADERS, "shaders", "print the machine code and the statistics of every shader that the driver compiles")          \
    X(STRICT, "strict", "stop a shader that relies on what the hardware does not promise (docs/strict.md)")      \
    X(FORCEBIN, "forcebin", "find out which primitives touch which tile even where there are few")                     \
    X(SYSMEM, "sysmem", "draw all passes of a tiler into memory, none tile by tile")                                   \
    X(SYNC, "sync", "wait for every submission of the driver before the next, so that a fault is told where it is")    \
    X(WSI_COPY, "wsicopy", "copy every picture to its window, even where the server could read the card's own memory")

enum debug_flag {
#define DEBUG_ENUM(name, word, text) DEBUG_##name,
    DEBUG_FLAGS(DEBUG_ENUM)
#undef DEBUG_ENUM
        DEBUG_FLAG_COUNT
};

bool debug_enabled(enum debug_flag flag);

/* The set of flags in a text like TUFF_DEBUG's, one bit per flag. Unknown words are collected in `unknown_out`,
 * separated by commas. */
uint64_t debug_parse(const char *text, bool *help_out, char *unknown_out, uint32_t unknown_size_B);
void debug_print_help(FILE *file);

#endif
