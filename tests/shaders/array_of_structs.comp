#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Structures in a private array, copied and compared.
// run 4 1 1
layout(local_size_x = 64) in;

struct Item {
    uint key;
    vec2 place;
    bool used;
};

void main()
{
    Item items[6];
    for (uint i = 0u; i < 6u; i++)
        items[i] = Item(in_u(ID + i) & 63u, in_v2(ID + i), (in_u(ID + i) & 64u) != 0u);
    Item best = items[0];
    for (uint i = 1u; i < 6u; i++) {
        if (items[i].used && items[i].key > best.key)
            best = items[i];
    }
    items[in_u(ID) % 6u] = best;
    put(ID * 4u + 0u, best.key);
    put(ID * 2u + 1u, best.place);
    put(ID * 4u + 1u, items[(in_u(ID) + 3u) % 6u].key);
}
