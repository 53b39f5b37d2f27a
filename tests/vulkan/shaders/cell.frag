#version 450
/* The colour as it came, or what a geometry shader said of the primitive. */
layout(location = 0) out vec4 result;
#if WHAT == 0
layout(location = 0) in vec4 color;
#elif WHAT == 1
layout(location = 0) flat in vec4 color;
#elif WHAT == 2
layout(location = 0) in vec4 color;
layout(location = 1) in vec4 many[29];
#endif
void main()
{
#if WHAT == 2
    result = vec4(color.x, many[28].y, 0, 1);
    for (int i = 0; i < 29; i++)
        result.z += many[i].z;
#elif WHAT == 3
    result = vec4(gl_PrimitiveID, gl_Layer, gl_ViewportIndex, 255) / 255.0;
#else
    result = color;
#endif
}
