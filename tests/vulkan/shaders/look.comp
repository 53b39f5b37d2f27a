#version 450
/* One look for each invocation: coordinates, and a reference in w. */
layout(local_size_x = 64) in;
layout(binding = 0) uniform SAMPLER source;
layout(binding = 1) buffer In {
    vec4 places[];
};
layout(binding = 2) buffer Out {
    vec4 looks[];
};
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = places[i];
#if KIND == 0 /* 2D */
    looks[i] = textureLod(source, at.xy, at.z);
#elif KIND == 1 /* 1D array */
    looks[i] = textureLod(source, at.xy, at.z);
#elif KIND == 2 /* cube array */
    looks[i] = textureLod(source, at, 0);
#elif KIND == 3 /* 2D shadow */
    looks[i] = vec4(textureLod(source, vec3(at.xy, at.w), 0));
#elif KIND == 4 /* 2D array shadow */
    looks[i] = vec4(textureGrad(source, at, vec2(0), vec2(0)));
#elif KIND == 5 /* cube shadow */
    looks[i] = vec4(texture(source, at));
#elif KIND == 6 /* integers */
    looks[i] = vec4(textureLod(source, at.xy, at.z));
#elif KIND == 7 /* cubes of integers */
    looks[i] = vec4(textureLod(source, at.xyz, 0));
#endif
}
