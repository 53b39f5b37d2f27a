#version 460

// Places, normals and texture coordinates through matrices.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 coordinate;

layout(location = 0) out vec3 world_normal;
layout(location = 1) out vec2 out_coordinate;

layout(set = 0, binding = 0) uniform Matrices {
    mat4 model, view, projection;
} matrices;

void main()
{
    gl_Position = matrices.projection * matrices.view * matrices.model * vec4(place, 1.0);
    world_normal = mat3(matrices.model) * normal;
    out_coordinate = coordinate;
}
