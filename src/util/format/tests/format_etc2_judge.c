/* Judge: ETC2 and EAC of util/format against Mesa's OpenGL (package libgl1-mesa-dri), whose software drivers decode
 * them with code of their own. Blocks of every mode (blocks.h) are uploaded as a texture, read back as plain texels,
 * and compared: all codes must be equal, EAC's as the 16 bits that its 11 are extended to.
 *
 * softpipe, because llvmpipe's LLVM crashes on some machines; nothing is drawn.
 * Reproduce one format with: format_etc2_judge VK_FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "util/bits.h"
#include "util/format/format.h"

#include "blocks.h"

#define BLOCKS_WIDE 128
#define WIDTH (BLOCKS_WIDE * 4)
#define HEIGHT (ETC2_BLOCKS / BLOCKS_WIDE * 4)

struct judged {
    enum format format;
    GLenum internal_format;
    GLenum layout, type; /* of the texels that come back: those of format_block_texel_format */
};

static const struct judged judged[] = {
    {FORMAT_ETC2_R8G8B8_UNORM_BLOCK, GL_COMPRESSED_RGB8_ETC2, GL_RGBA, GL_UNSIGNED_BYTE},
    {FORMAT_ETC2_R8G8B8_SRGB_BLOCK, GL_COMPRESSED_SRGB8_ETC2, GL_RGBA, GL_UNSIGNED_BYTE},
    {FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK, GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, GL_RGBA, GL_UNSIGNED_BYTE},
    {FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK, GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, GL_RGBA, GL_UNSIGNED_BYTE},
    {FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, GL_COMPRESSED_RGBA8_ETC2_EAC, GL_RGBA, GL_UNSIGNED_BYTE},
    {FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, GL_RGBA, GL_UNSIGNED_BYTE},
    {FORMAT_EAC_R11_UNORM_BLOCK, GL_COMPRESSED_R11_EAC, GL_RED, GL_UNSIGNED_SHORT},
    {FORMAT_EAC_R11_SNORM_BLOCK, GL_COMPRESSED_SIGNED_R11_EAC, GL_RED, GL_SHORT},
    {FORMAT_EAC_R11G11_UNORM_BLOCK, GL_COMPRESSED_RG11_EAC, GL_RG, GL_UNSIGNED_SHORT},
    {FORMAT_EAC_R11G11_SNORM_BLOCK, GL_COMPRESSED_SIGNED_RG11_EAC, GL_RG, GL_SHORT},
};

static uint8_t blocks[ETC2_BLOCKS * 16];
static uint8_t theirs[WIDTH * HEIGHT * 4];

static void open_context(void)
{
    setenv("LIBGL_ALWAYS_SOFTWARE", "true", 1);
    setenv("GALLIUM_DRIVER", "softpipe", 1);
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    EGLContext context = EGL_NO_CONTEXT;
    if (eglInitialize(display, NULL, NULL) && eglBindAPI(EGL_OPENGL_API))
        context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        printf("Bail out! no OpenGL without a window here: 0x%x\n", (unsigned)eglGetError());
        exit(2);
    }
}

static void decode_by_judge(const struct judged *row, const struct format_info *info)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, row->internal_format, WIDTH, HEIGHT, 0, ETC2_BLOCKS * info->block_size_B,
                           blocks);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glGetTexImage(GL_TEXTURE_2D, 0, row->layout, row->type, theirs);
    GLenum error = glGetError();
    if (error) {
        printf("Bail out! %s: OpenGL answers 0x%x\n", info->name, error);
        exit(2);
    }
    glDeleteTextures(1, &texture);
}

/* How many blocks differ; the first ones are printed. */
static unsigned compare_results(const struct format_info *info)
{
    const struct format_info *plain = format_info(format_block_texel_format(info->format));
    size_t size_B = plain->block_size_B;
    unsigned wrong = 0;
    for (unsigned number = 0; number < ETC2_BLOCKS; number++) {
        const uint8_t *block = blocks + (size_t)number * info->block_size_B;
        uint8_t ours[16 * 4];
        bool is_wrong = !format_decode_block(info->format, ours, block);
        for (unsigned texel = 0; texel < 16 && !is_wrong; texel++) {
            size_t at = (size_t)(number / BLOCKS_WIDE * 4 + texel / 4) * WIDTH + number % BLOCKS_WIDE * 4 + texel % 4;
            is_wrong = memcmp(ours + texel * size_B, theirs + at * size_B, size_B) != 0;
            if (!is_wrong || wrong >= 3)
                continue;
            printf("# block %u:", number);
            for (unsigned i = 0; i < info->block_size_B; i++)
                printf(" %02x", block[i]);
            printf("\n# texel %u: ours", texel);
            for (size_t i = 0; i < size_B; i++)
                printf(" %02x", ours[texel * size_B + i]);
            printf(", Mesa's");
            for (size_t i = 0; i < size_B; i++)
                printf(" %02x", theirs[at * size_B + i]);
            printf("\n");
        }
        wrong += is_wrong;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    open_context();
    unsigned cases = 0, failed = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(judged); i++) {
        const struct format_info *info = format_info(judged[i].format);
        if (argc > 1 && strcmp(argv[1], info->name))
            continue;
        blocks_restart();
        for (unsigned number = 0; number < ETC2_BLOCKS; number++)
            blocks_make_etc2(blocks + (size_t)number * info->block_size_B, info, number);
        decode_by_judge(&judged[i], info);
        unsigned wrong = compare_results(info);
        printf("%s %u - %s: %u blocks as Mesa decodes them\n", wrong ? "not ok" : "ok", ++cases, info->name,
               ETC2_BLOCKS);
        printf("# blocks that differ: %u\n", wrong);
        failed += wrong != 0;
    }
    printf("1..%u\n", cases);
    fflush(stdout);
    return failed || !cases;
}
