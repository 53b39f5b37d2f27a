/* Functions: shaders of ray tracing's stages, which call one another by address. What a function finds when it is
 * called and what it must leave as it was, on GFX10.3. The compiler keeps to it (select_call.c, spill.c, lower_call.c),
 * the driver starts the first function through amd_build_ray_entry.
 *
 *   s0        pointer to the ring table
 *   s1        pointer to the table of descriptor sets
 *   s2        pointer to push constants
 *   s[4:5]    address of the shader binding tables: four regions as VkTraceRaysIndirectCommand2KHR has them
 *   s[6:7]    address of the launch's size, three words
 *   s[8:9]    address of the traversal function's code
 *   s10       the wave's offset in scratch memory: where the stack begins
 *   s11       the same of the function's frame: sp
 *   s[12:15]  descriptor of scratch memory
 *   s[16:17]  where to return to
 *
 * - All of these but the last are the same in all functions of a launch and are as they were when a function returns;
 *   all other SGPRs, vcc, m0 and scc may be anything. A caller keeps what it needs in its frame.
 * - exec is not empty, and is as it was when a function returns. Lanes that are not active may still hold values of a
 *   caller in VGPRs: nothing is written to them, but for the first AMD_CALL_VGPRS registers, which hold scalars on their
 *   way to the frame and mean nothing across a call. Of active lanes, all VGPRs may be anything afterwards.
 * - Nothing is under way but stores (all counters but vscnt are zero) when a function is entered and when it returns.
 * - A frame: IR_FRAME_ARGS_B bytes of what caller and callee hand over, private memory, spilled VGPRs, scalars around a
 *   call. sp counts bytes of the wave: the lanes' frames lie side by side, dword by dword, as all of scratch memory. */
#ifndef AMD_COMPILER_FUNCTION_H
#define AMD_COMPILER_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

struct ir_shader;

enum amd_function_register {
    AMD_FUNCTION_RINGS = 0,
    AMD_FUNCTION_SET_TABLE = 1,
    AMD_FUNCTION_PUSH = 2,
    AMD_FUNCTION_TABLES = 4,
    AMD_FUNCTION_SIZE = 6,
    AMD_FUNCTION_TRAVERSAL = 8,
    AMD_FUNCTION_STACK = 10,
    AMD_FUNCTION_SP = 11,
    AMD_FUNCTION_SCRATCH = 12,
    AMD_FUNCTION_RETURN = 16,
    AMD_FUNCTION_CALLEE = 18, /* the address, on the way to the callee */
};

/* The registers among them that a callee leaves as they are. */
#define AMD_FUNCTION_KEPT 0xfff7u

#define AMD_CALL_VGPRS 8u      /* v0 for scalars around a call, the others for spilled ones */
#define AMD_FUNCTION_VGPRS 128 /* that any function may have */

/* The launch's place in the stack: three words from its start on. */
#define AMD_STACK_LAUNCH_ID_B 0

/* Whether the shader calls functions: stack_call, or what is made of it. */
bool amd_calls(const struct ir_shader *shader);

/* The kernel that a launch starts: it stores the launch's number, and the lanes inside of the launch's size call the
 * ray generation shader; its outgoing words 0 and 1 are the address of the record in the table, whose first eight bytes
 * are the address of the code. amd_compile takes it. NULL: out of memory. The caller destroys it. */
struct ir_shader *amd_build_ray_entry(const uint32_t workgroup_size[3]);

#endif
