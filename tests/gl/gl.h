/* Pictures of OpenGL, drawn without a window: what the files of scenes share. A scene draws into the frame buffer that
 * is bound, GL_SIZE by GL_SIZE pixels of RGBA8 with depth of 24 bits and stencil, cleared, with the state of a new
 * context; what it changes, main.c puts back.
 *
 * Not for checking values: gl.py compares the pictures of two drivers. */
#ifndef TESTS_GL_GL_H
#define TESTS_GL_GL_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>
#include <stddef.h>

#define GL_SIZE 256
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct gl_scene {
    const char *name;
    void (*draw)(void);
    bool es; /* OpenGL ES 3.2 can draw it, too */
};

/* Each ends with a scene without a name. */
extern const struct gl_scene gl_geometry_scenes[], gl_texture_scenes[], gl_target_scenes[], gl_data_scenes[],
    gl_old_scenes[];

/* The frame buffer that the scene's picture is taken from, for scenes that draw into others first. */
extern GLuint gl_target;

/* A program of these sources, in use. They lack the version and the precisions; without a vertex shader, one that makes
 * a triangle over the whole target of three vertices, and `at`, from 0 to 1. */
GLuint gl_use(const char *vertex, const char *fragment);
/* One of all stages that draw, in their order; NULL for those that it does without. */
#define GL_STAGES 5
GLuint gl_use_stages(const char *const sources[GL_STAGES]);
GLuint gl_use_compute(const char *source);

/* Draw that triangle. */
void gl_fill(void);

/* A buffer with these bytes, bound. */
GLuint gl_buffer(GLenum target, const void *data, size_t size_B);

/* Floats at a place of the vertex, from the bound buffer. */
void gl_attribute(GLuint location, int components, size_t stride_B, size_t offset_B);

/* A texture of RGBA8 whose pixels a function of their place gives, bound; filtered by the nearest pixel, edges clamped.
 */
GLuint gl_texture(int size, void (*pixel)(int x, int y, GLubyte rgba[4]));
void gl_checkers(int x, int y, GLubyte rgba[4]);
void gl_gradient(int x, int y, GLubyte rgba[4]);

void gl_uniform(GLuint program, const char *name, int components, const float *values, int count);

#endif
