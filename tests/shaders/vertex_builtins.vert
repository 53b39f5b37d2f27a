#version 460
// draw 12 3 1 tolerance 0.001
// What a vertex knows of itself: numbers, bases, the draw; two viewports, clip and cull distances.
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) in vec4 floats;
layout(location = 1) in uvec4 words;
layout(location = 2) in uvec4 by_instance;
layout(location = 0) out vec4 value;
out float gl_ClipDistance[2];
out float gl_CullDistance[1];
void main()
{
    int n = gl_VertexIndex % 6;
    vec2 corner = vec2(n == 1 || n == 3 || n == 4 ? 1.0 : -1.0, n == 2 || n >= 4 ? 1.0 : -1.0);
    gl_Position = vec4(corner, float(gl_VertexIndex) / 32.0, 1.0);
    gl_Layer = gl_InstanceIndex;
    gl_ViewportIndex = gl_VertexIndex / 6;
    gl_ClipDistance[0] = corner.x + 0.3;
    gl_ClipDistance[1] = 0.7 - corner.y;
    gl_CullDistance[0] = gl_InstanceIndex == 2 && gl_VertexIndex < 3 ? -1.0 : 1.0;
    value = vec4(float(gl_BaseVertex + gl_BaseInstance + gl_DrawID), float(by_instance.x >> 8), float(words.y % 16u), floats.z);
    value.z = n % 3 == 0 ? 1.0 : 1.0;
}
