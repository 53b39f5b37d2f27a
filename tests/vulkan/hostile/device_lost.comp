#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Three things by the first push constant: compute, never end, read an address of one's own choice.
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words {
    uint word[];
};
layout(push_constant) uniform Arguments {
    uvec2 result, elsewhere;
    uint what;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    Words words = Words(result), others = Words(elsewhere);
    if (what == 1) { // nothing writes this word
        while (atomicAdd(words.word[i], 0) != 0xffffffffu)
            ;
    }
    uint add = what == 2 ? others.word[i] : 7;
    words.word[i] = i * i + add;
}
