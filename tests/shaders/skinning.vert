#version 460

// Four bones move a vertex.
layout(location = 0) in vec4 place;
layout(location = 1) in uvec4 bones;
layout(location = 2) in vec4 weights;

layout(location = 0) out vec3 out_place;

layout(set = 0, binding = 0, std430) readonly buffer Bones {
    mat4x3 matrices[];
} skeleton;

layout(push_constant) uniform Push {
    mat4 projection;
} push;

void main()
{
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++)
        sum += skeleton.matrices[bones[i]] * place * weights[i];
    out_place = sum;
    gl_Position = push.projection * vec4(sum, 1.0);
}
