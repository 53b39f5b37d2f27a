#version 450
// The nearest 12 of a pixel's list, sorted by depth: the order in which they were written does not matter.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color_out;
struct Node { uint color; float depth; uint next; uint unused; };
layout(binding = 0, r32ui) uniform readonly uimage2D heads;
layout(binding = 1) readonly buffer Nodes { uint count; uint most; uint pad[2]; Node nodes[]; };

void main()
{
    uint at = imageLoad(heads, ivec2(gl_FragCoord.xy)).r;
    if (at == 0u)
        discard;
    uint colors[12];
    float depths[12];
    int used = 0;
    while (at != 0u) {
        Node node = nodes[at - 1u];
        if (used == 12 && depths[11] <= node.depth) { // farther than all that are kept
            at = node.next;
            continue;
        }
        int place = used < 12 ? used++ : 11;
        while (place > 0 && depths[place - 1] > node.depth) {
            depths[place] = depths[place - 1];
            colors[place] = colors[place - 1];
            place--;
        }
        depths[place] = node.depth;
        colors[place] = node.color;
        at = node.next;
    }
    vec3 sum = vec3(0.0);
    float passed = 1.0;
    for (int i = 0; i < used; i++) {
        vec4 color = unpackUnorm4x8(colors[i]);
        sum += passed * color.a * color.rgb;
        passed *= 1.0 - color.a;
    }
    color_out = vec4(sum, 1.0 - passed);
}
