/* Draws the scenes and writes their pictures as PPM files: gl_scenes [--es] FOLDER [SCENE]... Prints the driver's name
 * and a line for each scene. Exit code 77: there is no EGL that draws without a window. */
#include "gl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GLuint gl_target;
static bool is_es;
static const char *scene_name = "start";

/* Says why and ends the program. */
__attribute__((format(printf, 1, 2))) _Noreturn static void gl_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", scene_name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

/* ---- shaders and data ---- */

static GLuint compile_stage(GLenum stage, const char *source)
{
    static const char *const heads[2] = {
        "#version 450\n", "#version 320 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"
                          "precision highp sampler3D;\nprecision highp samplerCube;\nprecision highp sampler2DArray;\n"
                          "precision highp sampler2DShadow;\nprecision highp usampler2D;\nprecision highp image2D;\n"};
    const char *texts[2] = {heads[is_es], source};
    GLuint shader = glCreateShader(stage);
    GLint good = 0;
    glShaderSource(shader, 2, texts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        char log[2000];
        glGetShaderInfoLog(shader, sizeof(log), NULL, log);
        gl_fail("%s\n%s", log, source);
    }
    return shader;
}

static GLuint link_and_use(const GLuint *shaders, unsigned count)
{
    GLuint program = glCreateProgram();
    GLint good = 0;
    for (unsigned i = 0; i < count; i++) {
        glAttachShader(program, shaders[i]);
        glDeleteShader(shaders[i]);
    }
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) {
        char log[2000];
        glGetProgramInfoLog(program, sizeof(log), NULL, log);
        gl_fail("%s", log);
    }
    glUseProgram(program);
    return program;
}

static const char fill_text[] = "out vec2 at;\n"
                                "void main() {\n"
                                "    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;\n"
                                "    gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);\n"
                                "}\n";

GLuint gl_use(const char *vertex, const char *fragment)
{
    const GLuint shaders[2] = {compile_stage(GL_VERTEX_SHADER, vertex ? vertex : fill_text),
                               compile_stage(GL_FRAGMENT_SHADER, fragment)};
    return link_and_use(shaders, 2);
}

GLuint gl_use_stages(const char *const sources[GL_STAGES])
{
    static const GLenum stages[GL_STAGES] = {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER,
                                             GL_GEOMETRY_SHADER, GL_FRAGMENT_SHADER};
    GLuint shaders[GL_STAGES];
    unsigned count = 0;
    for (unsigned i = 0; i < GL_STAGES; i++) {
        if (sources[i])
            shaders[count++] = compile_stage(stages[i], sources[i]);
    }
    return link_and_use(shaders, count);
}

GLuint gl_use_compute(const char *source)
{
    const GLuint shader = compile_stage(GL_COMPUTE_SHADER, source);
    return link_and_use(&shader, 1);
}

void gl_fill(void)
{
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

GLuint gl_buffer(GLenum target, const void *data, size_t size_B)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(target, buffer);
    glBufferData(target, (GLsizeiptr)size_B, data, GL_STATIC_DRAW);
    return buffer;
}

void gl_attribute(GLuint location, int components, size_t stride_B, size_t offset_B)
{
    glEnableVertexAttribArray(location);
    glVertexAttribPointer(location, components, GL_FLOAT, GL_FALSE, (GLsizei)stride_B, (const void *)offset_B);
}

GLuint gl_texture(int size, void (*pixel)(int x, int y, GLubyte rgba[4]))
{
    GLubyte *pixels = malloc((size_t)size * (size_t)size * 4);
    GLuint texture;
    if (!pixels)
        gl_fail("no memory");
    for (int i = 0; i < size * size; i++)
        pixel(i % size, i / size, pixels + i * 4);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    free(pixels);
    return texture;
}

void gl_checkers(int x, int y, GLubyte rgba[4])
{
    bool light = (x ^ y) >> 2 & 1;
    rgba[0] = light ? 240 : 30;
    rgba[1] = light ? (GLubyte)(x * 8) : 60;
    rgba[2] = light ? 200 : (GLubyte)(y * 8);
    rgba[3] = 255;
}

void gl_gradient(int x, int y, GLubyte rgba[4])
{
    rgba[0] = (GLubyte)(x * 15);
    rgba[1] = (GLubyte)(y * 15);
    rgba[2] = (GLubyte)((x + y) * 7);
    rgba[3] = (GLubyte)(255 - x * 10);
}

void gl_uniform(GLuint program, const char *name, int components, const float *values, int count)
{
    GLint at = glGetUniformLocation(program, name);
    if (at < 0)
        gl_fail("no uniform %s", name);
    void (*const set[4])(GLint, GLsizei, const GLfloat *) = {glUniform1fv, glUniform2fv, glUniform3fv, glUniform4fv};
    set[components - 1](at, count, values);
}

/* ---- the context ---- */

static EGLDisplay display;

static EGLContext new_context(void)
{
    static const EGLint es[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 2, EGL_NONE},
                        gl[] = {EGL_CONTEXT_MAJOR_VERSION,
                                4,
                                EGL_CONTEXT_MINOR_VERSION,
                                5,
                                EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
                                EGL_NONE};
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, is_es ? es : gl);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        gl_fail("no context: 0x%x", (unsigned)eglGetError());
    return context;
}

static void open_display(void)
{
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!extensions || !strstr(extensions, "EGL_MESA_platform_surfaceless")) {
        printf("EGL cannot draw without a window here\n");
        exit(77);
    }
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API))
        gl_fail("EGL does not start: 0x%x", (unsigned)eglGetError());
}

static void make_target(void)
{
    GLuint color, depth;
    glGenRenderbuffers(1, &color);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, GL_SIZE, GL_SIZE);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, GL_SIZE, GL_SIZE);
    glGenFramebuffers(1, &gl_target);
    glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        gl_fail("the frame buffer is not complete");
    glViewport(0, 0, GL_SIZE, GL_SIZE);
    glClearColor(0.1f, 0.15f, 0.2f, 1);
    glClearStencil(0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void write_picture(const char *folder)
{
    static GLubyte pixels[GL_SIZE * GL_SIZE * 4];
    char path[1000];
    glBindFramebuffer(GL_FRAMEBUFFER, gl_target);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glReadPixels(0, 0, GL_SIZE, GL_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    snprintf(path, sizeof(path), "%s/%s%s.ppm", folder, scene_name, is_es ? "_es" : "");
    FILE *file = fopen(path, "wb");
    if (!file)
        gl_fail("cannot write %s", path);
    fprintf(file, "P6\n%d %d\n255\n", GL_SIZE, GL_SIZE);
    for (int y = GL_SIZE - 1; y >= 0; y--) {
        for (int x = 0; x < GL_SIZE; x++)
            fwrite(pixels + (y * GL_SIZE + x) * 4, 1, 3, file);
    }
    if (fclose(file))
        gl_fail("cannot write %s", path);
}

static void draw(const struct gl_scene *scene, const char *folder)
{
    scene_name = scene->name;
    EGLContext context = new_context(); /* its state is a new one's */
    make_target();
    scene->draw();
    write_picture(folder);
    GLenum error = glGetError();
    if (error)
        gl_fail("GL error 0x%x", error);
    printf("%s%s\n", scene->name, is_es ? "_es" : "");
    fflush(stdout);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
}

static bool is_wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return count == 0;
}

int main(int argc, char **argv)
{
    static const struct gl_scene *const lists[] = {gl_geometry_scenes, gl_texture_scenes, gl_target_scenes,
                                                   gl_data_scenes, gl_old_scenes};
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "--es") == 0) {
        is_es = true;
        first++;
    }
    if (argc <= first) {
        fprintf(stderr, "usage: gl_scenes [--es] FOLDER [SCENE]...\n");
        return 2;
    }
    open_display();
    EGLContext context = new_context();
    printf("driver: %s\n", (const char *)glGetString(GL_RENDERER));
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    for (size_t i = 0; i < LENGTH(lists); i++) {
        for (const struct gl_scene *scene = lists[i]; scene->name; scene++) {
            if ((!is_es || scene->es) && is_wanted(scene->name, argv + first + 1, argc - first - 1))
                draw(scene, argv[first]);
        }
    }
    return 0;
}
