#version 460
// The vertex shader of fragment shaders that are drawn: two triangles over the whole target, or as many copies of them, one to a layer. W changes from left to right.
layout(location = 0) out vec4 smooth_value;
layout(location = 1) flat out uvec4 flat_value;
layout(location = 2) noperspective out vec4 straight_value;
layout(location = 3) centroid out vec4 centroid_value;
layout(location = 4) sample out vec4 sample_value;
void main()
{
    vec2 corner = vec2(gl_VertexIndex == 1 || gl_VertexIndex == 3 || gl_VertexIndex == 4 ? 1.0 : -1.0, gl_VertexIndex == 2 || gl_VertexIndex >= 4 ? 1.0 : -1.0);
    float w = corner.x > 0.0 ? 2.0 : 1.0;
    gl_Position = vec4(corner * w, (0.5 + 0.25 * corner.y) * w, w);
    smooth_value = vec4(corner, corner.x * corner.y, float(gl_VertexIndex));
    flat_value = uvec4(gl_VertexIndex / 3, gl_InstanceIndex, 7u, 4000000000u);
    straight_value = vec4(corner * 3.0, 1.0, w);
    centroid_value = vec4(corner, 2.0, 3.0);
    sample_value = vec4(corner * 8.0 + 8.0, 0.0, 1.0);
}
