/* OpenGL as it began: vertices one by one, matrices, lights, quads, stipples. */
#include "gl.h"

static void quad(float x, float y, float size)
{
    glVertex2f(x, y);
    glVertex2f(x + size, y + 0.1f);
    glVertex2f(x + size - 0.1f, y + size);
    glVertex2f(x, y + size * 0.8f);
}

static void quads(void)
{
    glBegin(GL_QUADS);
    for (int i = 0; i < 9; i++) {
        glColor3f((float)(i % 3) / 2, (float)(i / 3) / 2, 0.4f);
        quad(-0.9f + (float)(i % 3) * 0.6f, -0.9f + (float)(i / 3) * 0.6f, 0.5f);
    }
    glEnd();
}

/* The last vertex gives the colour, but of a polygon the first. */
static void flat(void)
{
    glShadeModel(GL_FLAT);
    glBegin(GL_QUAD_STRIP);
    for (int i = 0; i < 12; i++) {
        glColor3f((float)(i % 4) / 3, (float)(i % 3) / 2, (float)i / 11);
        glVertex2f(-0.9f + (float)(i / 2) * 0.35f, i & 1 ? 0.9f : 0.3f + (float)i * 0.02f);
    }
    glEnd();
    glBegin(GL_POLYGON);
    for (int i = 0; i < 7; i++) {
        glColor3f(1 - (float)i / 7, (float)i / 7, 0.7f);
        glVertex2f(-0.5f + (float)(i < 4 ? i : 7 - i) * 0.12f, i < 4 ? -0.8f + (float)(i * i) * 0.02f : 0.1f);
    }
    glEnd();
    glBegin(GL_TRIANGLE_FAN);
    for (int i = 0; i < 6; i++) {
        glColor3f(0.2f, (float)i / 5, 1 - (float)i / 5);
        glVertex2f(0.5f + (i ? 0.35f * (float)(i - 3) / 2 : 0), i ? -0.1f - 0.1f * (float)((i - 3) * (i - 3)) : -0.9f);
    }
    glEnd();
}

/* Of a quad's outline its diagonal is no part; edges can be hidden. */
static void edge_flags(void)
{
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        glColor3f(1, (float)i / 3, 0.2f);
        quad(-0.93f + (float)(i % 2) * 0.95f, 0.03f + (float)(i / 2) * 0.45f, 0.4f);
    }
    glEnd();
    glBegin(GL_POLYGON);
    for (int i = 0; i < 6; i++) {
        glEdgeFlag(i != 2);
        glColor3f(0.2f, 1, (float)i / 5);
        glVertex2f(-0.5f + (float)(i < 3 ? i : 6 - i) * 0.15f, i < 3 ? -0.83f + (float)(i * i) * 0.03f : -0.2f);
    }
    glEnd();
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
    glPointSize(5);
    glEdgeFlag(GL_TRUE);
    glBegin(GL_QUADS);
    quad(0.3f, -0.85f, 0.5f);
    glEnd();
}

static void lights(void)
{
    static const float place[4] = {1, 1, -1, 1}, blue[4] = {0.2f, 0.4f, 0.9f, 1}, white[4] = {1, 1, 1, 1};
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_NORMALIZE);
    glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, 1);
    glLightfv(GL_LIGHT0, GL_POSITION, place);
    glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, blue);
    glMaterialfv(GL_FRONT, GL_SPECULAR, white);
    glMaterialf(GL_FRONT, GL_SHININESS, 12);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.5, 0.5, 1, 10);
    glMatrixMode(GL_MODELVIEW);
    glTranslatef(0, 0, -3);
    glRotatef(30, 1, 0.5f, 0);
    for (int i = 0; i < 6; i++) {
        static const float axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const float *n = axes[i / 2], *u = axes[(i / 2 + 1) % 3], *v = axes[(i / 2 + 2) % 3];
        float sign = i & 1 ? -0.8f : 0.8f;
        glBegin(GL_TRIANGLE_STRIP);
        glNormal3f(n[0] * sign, n[1] * sign, n[2] * sign);
        for (int k = 0; k < 4; k++) {
            float a = k & 1 ? 0.8f : -0.8f, b = k >> 1 ? sign : -sign;
            glVertex3f(n[0] * sign + u[0] * a + v[0] * b, n[1] * sign + u[1] * a + v[1] * b,
                       n[2] * sign + u[2] * a + v[2] * b);
        }
        glEnd();
    }
}

static void textured(void)
{
    gl_texture(32, gl_checkers);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogf(GL_FOG_START, 1);
    glFogf(GL_FOG_END, 8);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.5, 0.5, 1, 10);
    glMatrixMode(GL_MODELVIEW);
    glTranslatef(0, -1, -4);
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 4; i++) {
        glTexCoord2f((float)(i & 1), (float)(i >> 1));
        glVertex3f(i & 1 ? 2.0f : -2.0f, 0, i >> 1 ? -3.0f : 2.0f);
    }
    glEnd();
    glEnable(GL_ALPHA_TEST);
    glAlphaFunc(GL_GREATER, 0.6f);
    gl_texture(16, gl_gradient);
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 4; i++) {
        glTexCoord2f((float)(i & 1), (float)(i >> 1));
        glVertex3f(i & 1 ? 1.0f : -1.0f, i >> 1 ? 2.2f : 0.6f, 0);
    }
    glEnd();
}

static void stipples(void)
{
    GLubyte pattern[128];
    for (int i = 0; i < 128; i++)
        pattern[i] = (GLubyte)(i / 4 & 4 ? 0xf0 : 0x3c);
    glEnable(GL_POLYGON_STIPPLE);
    glPolygonStipple(pattern);
    glColor3f(0.9f, 0.7f, 0.1f);
    glBegin(GL_QUADS);
    quad(-0.9f, -0.9f, 1.2f);
    glEnd();
    glEnable(GL_LINE_STIPPLE);
    glLineStipple(3, 0x39a7);
    glBegin(GL_LINES);
    for (int i = 0; i < 5; i++) {
        glColor3f(0.2f, 1, (float)i / 4);
        glVertex2f(-0.9f, 0.4f + (float)i * 0.1f);
        glVertex2f(0.9f, 0.45f + (float)i * 0.1f);
    }
    glEnd();
}

const struct gl_scene gl_old_scenes[] = {
    {"quads", quads, false},
    {"flat", flat, false},
    {"edge_flags", edge_flags, false},
    {"lights", lights, false},
    {"textured", textured, false},
    {"stipples", stipples, false},
    {0},
};
