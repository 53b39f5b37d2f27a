/* The instructions of src/model/jit_x64.h in every form that the code makers write, as bytes and as the text that was
 * meant: registers of all banks, memory by every base with short and long offsets, masks. x64_forms.py has llvm-mc read
 * the bytes. Runs on every host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/jit_x64.h"

enum {
    HAS_IMM = 1,
    HAS_MEMORY = 2,      /* m may be memory */
    HAS_K = 4,           /* written where a mask says, in EVEX's form */
    HAS_ZERO = 8,        /* lanes left out may become zero */
    ONLY_MEMORY = 16,    /* m is memory */
    ONLY_INDEXED = 32,   /* of a mask on the stack */
    ONLY_GATHERED = 64,  /* with a vector of offsets */
    IS_MASK_CODE = 128,  /* VEX's form at either level */
    HAS_EXTENSION = 256, /* d is a part of the opcode */
    HAS_SPREAD = 512,    /* one element of memory may be for all lanes, in EVEX's form */
    IS_OPERAND = HAS_MEMORY | HAS_SPREAD,
};

/* The text of an instruction at each level, NULL where that does not use it. $d, $n and $m are vectors, m also memory
 * of a vector's size; $h half a vector, $s four bytes, $b one byte; $D, $N, $M mask registers; $w a mask in memory; $G
 * and $g the general registers d and m; $v memory by a vector of offsets. */
struct form {
    enum vector_code code;
    const char *vex, *evex;
    unsigned flags;
    uint8_t imm, extension;
};

#define BOTH(text) text, text

static const struct form forms[] = {
    {VMOVUPS, BOTH("vmovups $d, $m"), HAS_MEMORY | ONLY_MEMORY},
    {VMOVUPS_STORE, BOTH("vmovups $m, $d"), HAS_MEMORY | ONLY_MEMORY | HAS_K},
    {VMOVAPS, BOTH("vmovaps $d, $m"), 0},
    {VMOVMSKPS, "vmovmskps $G, $m", NULL, 0},
    {VMOVD, "vmovd $x, $g", NULL, 0},
    {VMOVD_STORE, "vmovd $g, $x", NULL, 0},
    {VBROADCASTSS, BOTH("vbroadcastss $d, $s"), HAS_MEMORY},
    {VPBROADCASTD, BOTH("vpbroadcastd $d, $s"), 0},
    {VPBROADCASTD_GENERAL, NULL, "vpbroadcastd $d, $g", 0},
    {VPBROADCASTB, "vpbroadcastb $d, $b", NULL, ONLY_INDEXED},
    {VBLENDVPS, "vblendvps $d, $n, $m, ymm7", NULL, HAS_IMM | HAS_MEMORY, 0x70},
    {VPBLENDD, "vpblendd $d, $n, $m, 170", NULL, HAS_IMM, 0xaa},
    {VPBLENDMD, NULL, "vpblendmd $d, $n, $m", HAS_K | IS_OPERAND},
    {VPERMILPS, BOTH("vpermilps $d, $m, 228"), HAS_IMM | IS_OPERAND, 228},
    {VPSHUFB, BOTH("vpshufb $d, $n, $m"), HAS_MEMORY},
    {VANDPS, "vandps $d, $n, $m", NULL, HAS_MEMORY},
    {VANDNPS, "vandnps $d, $n, $m", NULL, HAS_MEMORY},
    {VORPS, "vorps $d, $n, $m", NULL, HAS_MEMORY},
    {VXORPS, "vxorps $d, $n, $m", NULL, HAS_MEMORY},
    {VADDPS, BOTH("vaddps $d, $n, $m"), IS_OPERAND},
    {VMULPS, BOTH("vmulps $d, $n, $m"), IS_OPERAND},
    {VSUBPS, BOTH("vsubps $d, $n, $m"), IS_OPERAND},
    {VMINPS, BOTH("vminps $d, $n, $m"), IS_OPERAND},
    {VDIVPS, BOTH("vdivps $d, $n, $m"), IS_OPERAND},
    {VMAXPS, BOTH("vmaxps $d, $n, $m"), IS_OPERAND},
    {VSQRTPS, BOTH("vsqrtps $d, $m"), IS_OPERAND},
    {VRANGEPS, NULL, "vrangeps $d, $n, $m, 4", HAS_IMM | IS_OPERAND, 4},
    {VRANGEPS, NULL, "vrangeps $d, $n, $m, 5", HAS_IMM | IS_OPERAND, 5},
    {VCMPPS, "vcmpeqps $d, $n, $m", "vcmpeqps $D, $n, $m", HAS_IMM | IS_OPERAND, IS_EQ},
    {VCMPPS, "vcmpunordps $d, $n, $m", "vcmpunordps $D, $n, $m", HAS_IMM | IS_OPERAND, IS_UNORDERED},
    {VCMPPS, "vcmpordps $d, $n, $m", "vcmpordps $D, $n, $m", HAS_IMM | IS_OPERAND, IS_ORDERED},
    {VCMPPS, "vcmplt_oqps $d, $n, $m", "vcmplt_oqps $D, $n, $m", HAS_IMM | IS_OPERAND, IS_LT},
    {VCMPPS, "vcmple_oqps $d, $n, $m", "vcmple_oqps $D, $n, $m", HAS_IMM | IS_OPERAND, IS_LE},
    {VCMPPS, "vcmpge_oqps $d, $n, $m", "vcmpge_oqps $D, $n, $m", HAS_IMM | IS_OPERAND, IS_GE},
    {VROUNDPS, "vroundps $d, $m, 1", "vrndscaleps $d, $m, 1", HAS_IMM | IS_OPERAND, 1},
    {VCVTDQ2PS, BOTH("vcvtdq2ps $d, $m"), IS_OPERAND},
    {VCVTPS2DQ, BOTH("vcvtps2dq $d, $m"), 0},
    {VCVTTPS2DQ, BOTH("vcvttps2dq $d, $m"), HAS_K | HAS_ZERO},
    {VCVTUDQ2PS, NULL, "vcvtudq2ps $d, $m", IS_OPERAND},
    {VCVTTPS2UDQ, NULL, "vcvttps2udq $d, $m", 0},
    {VFMADD132PS, BOTH("vfmadd132ps $d, $n, $m"), IS_OPERAND},
    {VFMADD213PS, BOTH("vfmadd213ps $d, $n, $m"), IS_OPERAND},
    {VFMADD231PS, BOTH("vfmadd231ps $d, $n, $m"), IS_OPERAND},
    {VFNMADD132PS, BOTH("vfnmadd132ps $d, $n, $m"), IS_OPERAND},
    {VFNMADD213PS, BOTH("vfnmadd213ps $d, $n, $m"), IS_OPERAND},
    {VFNMADD231PS, BOTH("vfnmadd231ps $d, $n, $m"), IS_OPERAND},
    {VFMADD213PH, NULL, "vfmadd213ph $d, $n, $m", 0},
    {VFMADD231PH, NULL, "vfmadd231ph $d, $n, $m", 0},
    {VADDPH, NULL, "vaddph $d, $n, $m", HAS_MEMORY},
    {VMULPH, NULL, "vmulph $d, $n, $m", HAS_MEMORY | HAS_K},
    {VPADDB, BOTH("vpaddb $d, $n, $m"), 0},
    {VPADDD, BOTH("vpaddd $d, $n, $m"), IS_OPERAND},
    {VPSUBD, BOTH("vpsubd $d, $n, $m"), IS_OPERAND},
    {VPMULLD, BOTH("vpmulld $d, $n, $m"), IS_OPERAND},
    {VPMULUDQ, BOTH("vpmuludq $d, $n, $m"), 0},
    {VPMULDQ, BOTH("vpmuldq $d, $n, $m"), 0},
    {VPMADDUBSW, BOTH("vpmaddubsw $d, $n, $m"), HAS_MEMORY},
    {VPMADDWD, BOTH("vpmaddwd $d, $n, $m"), HAS_MEMORY},
    {VPAND, "vpand $d, $n, $m", "vpandd $d, $n, $m", IS_OPERAND},
    {VPANDN, "vpandn $d, $n, $m", "vpandnd $d, $n, $m", IS_OPERAND},
    {VPOR, "vpor $d, $n, $m", "vpord $d, $n, $m", IS_OPERAND},
    {VPXOR, "vpxor $d, $n, $m", "vpxord $d, $n, $m", IS_OPERAND},
    {VPTERNLOGD, NULL, "vpternlogd $d, $n, $m, 85", HAS_IMM | HAS_MEMORY | HAS_K, 0x55},
    {VPMINUD, BOTH("vpminud $d, $n, $m"), IS_OPERAND},
    {VPMAXUD, BOTH("vpmaxud $d, $n, $m"), IS_OPERAND},
    {VPMINSD, BOTH("vpminsd $d, $n, $m"), IS_OPERAND},
    {VPMAXSD, BOTH("vpmaxsd $d, $n, $m"), IS_OPERAND},
    {VPCMPEQD, "vpcmpeqd $d, $n, $m", NULL, HAS_MEMORY},
    {VPCMPGTD, "vpcmpgtd $d, $n, $m", NULL, HAS_MEMORY},
    {VPCMPD, NULL, "vpcmpeqd $D, $n, $m", HAS_IMM | IS_OPERAND, 0},
    {VPCMPD, NULL, "vpcmpltd $D, $n, $m", HAS_IMM | IS_OPERAND, 1},
    {VPCMPD, NULL, "vpcmpled $D, $n, $m", HAS_IMM | IS_OPERAND, 2},
    {VPCMPUD, NULL, "vpcmpltud $D, $n, $m", HAS_IMM | IS_OPERAND, 1},
    {VPCMPUD, NULL, "vpcmpleud $D, $n, $m", HAS_IMM | IS_OPERAND, 2},
    {VPTESTMD, NULL, "vptestmd $D, $n, $m", IS_OPERAND},
    {VPTESTNMW, NULL, "vptestnmw $D, $n, $m", HAS_MEMORY},
    {VPMOVM2D, NULL, "vpmovm2d $d, $M", 0},
    {VPMOVD2M, NULL, "vpmovd2m $D, $m", 0},
    {VPGATHERDD, "vpgatherdd $d, $v, $n", "vpgatherdd $d, $v", HAS_K | ONLY_GATHERED},
    {VCVTPS2PH, BOTH("vcvtps2ph $h, $d, 3"), HAS_IMM, 3},
    {VCVTPS2PH, BOTH("vcvtps2ph $h, $d, 4"), HAS_IMM, 4},
    {VPMOVZXWD, BOTH("vpmovzxwd $d, $h"), 0},
    {VCVTPH2PS, BOTH("vcvtph2ps $d, $h"), 0},
    {VPERMD, BOTH("vpermd $d, $n, $m"), HAS_MEMORY},
    {VPERMQ, "vpermq $d, $m, 8", NULL, HAS_IMM, 8},
    {VPMOVDW, NULL, "vpmovdw $h, $d", 0},
    {VPSLLVD, BOTH("vpsllvd $d, $n, $m"), 0},
    {VPSRLVD, BOTH("vpsrlvd $d, $n, $m"), 0},
    {VPSRAVD, BOTH("vpsravd $d, $n, $m"), 0},
    {SHIFT_D_BY, BOTH("vpsrld $n, $m, 7"), HAS_IMM | HAS_EXTENSION, 7, BY_RIGHT},
    {SHIFT_D_BY, BOTH("vpsrad $n, $m, 7"), HAS_IMM | HAS_EXTENSION, 7, BY_RIGHT_SIGNED},
    {SHIFT_D_BY, BOTH("vpslld $n, $m, 7"), HAS_IMM | HAS_EXTENSION, 7, BY_LEFT},
    {SHIFT_Q_BY, BOTH("vpsrlq $n, $m, 32"), HAS_IMM | HAS_EXTENSION, 32, BY_RIGHT},
    {KMOVW, NULL, "kmovw $D, $w", IS_MASK_CODE | ONLY_INDEXED},
    {KMOVW_STORE, NULL, "kmovw $w, $D", IS_MASK_CODE | ONLY_INDEXED},
    {KNOTW, NULL, "knotw $D, $M", IS_MASK_CODE},
    {KANDW, NULL, "kandw $D, $N, $M", IS_MASK_CODE},
    {KANDNW, NULL, "kandnw $D, $N, $M", IS_MASK_CODE},
    {KORW, NULL, "korw $D, $N, $M", IS_MASK_CODE},
    {KXNORW, NULL, "kxnorw $D, $N, $M", IS_MASK_CODE},
    {KXORW, NULL, "kxorw $D, $N, $M", IS_MASK_CODE},
    {KORTESTW, NULL, "kortestw $D, $M", IS_MASK_CODE},
};

static const char *const names64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const names32[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                      "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};

/* One instruction: its operands, and the mask that EVEX's form has. */
struct operands {
    bool is_evex;
    unsigned d, n, k;
    struct place m;
    bool is_zeroing;
};

static void print_memory(const char *size, const struct operands *o, const char *index)
{
    const struct place *m = &o->m;
    printf("%s ptr [%s", size, names64[m->reg]);
    if (m->index != NO_INDEX)
        printf(" + %s%s", m->scale == 1 ? "2*" : "", index);
    if (m->offset)
        printf(" %c %d", m->offset < 0 ? '-' : '+', abs(m->offset));
    printf("]");
}

static void print_vector_place(const struct operands *o, char bank, const char *size)
{
    if (o->m.is_memory)
        print_memory(o->m.is_spread ? "dword" : size, o, o->m.index != NO_INDEX ? names64[o->m.index & 15] : "");
    else
        printf("%cmm%u", bank, o->m.reg);
    if (o->m.is_spread)
        printf("{1to16}");
}

static void print_operand(char which, const struct operands *o)
{
    const char full = o->is_evex ? 'z' : 'y';
    char index[16];
    switch (which) {
    case 'd':
    case 'n':
        printf("%cmm%u", full, which == 'd' ? o->d : o->n);
        break;
    case 'x':
        printf("xmm%u", o->d);
        break;
    case 'm':
        print_vector_place(o, full, o->is_evex ? "zmmword" : "ymmword");
        break;
    case 'h':
        print_vector_place(o, o->is_evex ? 'y' : 'x', "");
        break;
    case 's':
        print_vector_place(o, 'x', "dword");
        break;
    case 'b':
        print_vector_place(o, 'x', "byte");
        break;
    case 'w':
        print_vector_place(o, 'x', "word");
        break;
    case 'v':
        snprintf(index, sizeof(index), "%cmm%u", full, o->m.index);
        print_memory(o->is_evex ? "zmmword" : "ymmword", o, index);
        break;
    case 'D':
    case 'N':
    case 'M':
        printf("k%u", which == 'D' ? o->d : which == 'N' ? o->n : o->m.reg);
        break;
    default:
        printf("%s", names32[which == 'G' ? o->d : o->m.reg]);
    }
}

/* The mask is written after the first operand. */
static void print_text(const char *text, const struct operands *o)
{
    bool is_first = true;
    for (; *text; text++) {
        if (*text != '$') {
            putchar(*text);
            continue;
        }
        print_operand(*++text, o);
        if (is_first && o->k)
            printf(" {k%u}%s", o->k, o->is_zeroing ? " {z}" : "");
        is_first = false;
    }
    putchar('\n');
}

static void print_form(const struct form *form, const struct operands *o)
{
    uint8_t bytes[16];
    const unsigned d = form->flags & HAS_EXTENSION ? form->extension : o->d;
    size_t count = o->is_evex && !(form->flags & IS_MASK_CODE)
                       ? write_evex(bytes, form->code, d, o->n, o->m, o->k, o->is_zeroing)
                       : write_vex(bytes, form->code, d, o->n, o->m);
    if (form->flags & HAS_IMM)
        bytes[count++] = form->imm;
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    putchar('\t');
    print_text(o->is_evex ? form->evex : form->vex, o);
}

/* ---- which operands ---- */

static const uint8_t vectors[] = {0, 3, 9, 15, 16, 22, 28, 31}, masks[] = {1, 2, 3, 4, 5, 6, 7, 1};
static const int32_t offsets[] = {0, 4, 32, 64, 127, 128, 508, 512, 4064, 4096, 8128, 8192, 65532, -64, -8256};

static bool names(const char *text, char which)
{
    for (; (text = strchr(text, '$')); text++) {
        if (text[1] == which)
            return true;
    }
    return false;
}

static struct place place_of(const struct form *form, const char *text, unsigned round, const uint8_t *bank,
                             unsigned bank_size)
{
    static const uint8_t bases[] = {LANES, SP, POOL, FRAME};
    const int32_t offset = offsets[round % (sizeof(offsets) / sizeof(offsets[0]))];
    if (form->flags & ONLY_INDEXED)
        return (struct place){true, SP, GROUP, names(text, 'w'), (int32_t)(round % 40), false};
    if (form->flags & ONLY_GATHERED)
        return (struct place){true, RAX, bank[(round + 1) % bank_size], 0, offset, false};
    if (form->flags & ONLY_MEMORY || (form->flags & HAS_MEMORY && round & 1))
        return at(bases[round / 2 % 4], (uint32_t)offset);
    if (names(text, 'g'))
        return in(GROUP);
    return in(names(text, 'M') ? masks[(round * 5 + round / 8) % 8] : bank[(round * 5 + round / 8) % bank_size]);
}

static unsigned print_level(const struct form *form, bool is_evex)
{
    const char *text = is_evex ? form->evex : form->vex;
    const unsigned bank_size = is_evex ? 8 : 4;
    unsigned printed = 0;
    for (unsigned round = 0; text && round < 120; round++) {
        struct operands o = {.is_evex = is_evex};
        o.d = names(text, 'D') ? masks[round % 8] : names(text, 'G') ? RAX : vectors[round % bank_size];
        o.n = names(text, 'N') ? masks[round * 3 % 8] : names(text, 'n') ? vectors[(round / 3) % bank_size] : 0;
        o.m = place_of(form, text, round, vectors, bank_size);
        o.m.is_spread = is_evex && form->flags & HAS_SPREAD && o.m.is_memory && round % 3 == 0;
        o.k = is_evex && form->flags & HAS_K ? masks[round % 7] * !!(round % 4) : 0;
        o.is_zeroing = o.k && form->flags & HAS_ZERO && round & 1;
        if (form->flags & ONLY_GATHERED) {
            o.k = is_evex;
            o.n = is_evex ? 0 : 1;
            o.d = vectors[(round + 2) % bank_size]; /* not the offsets */
        }
        print_form(form, &o);
        printed++;
    }
    return printed;
}

int main(void)
{
    static const struct {
        const char *name;
        uint32_t code;
    } codes[] = {
#define ROW(name, code) {#name, code},
        JIT_X64_CODES(ROW)
#undef ROW
    };
    const unsigned form_count = sizeof(forms) / sizeof(forms[0]);
    for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        unsigned printed = 0;
        for (unsigned f = 0; f < form_count; f++) {
            if (forms[f].code == codes[i].code)
                printed += print_level(&forms[f], false) + print_level(&forms[f], true);
        }
        if (!printed) {
            fprintf(stderr, "%s has no form here\n", codes[i].name);
            return 1;
        }
    }
    return 0;
}
