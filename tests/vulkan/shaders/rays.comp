// A ray for each invocation; what it meets first. Candidates that are not opaque are accepted by KIND's rule, boxes hold
// spheres.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_flags_primitive_culling : require

#ifdef CORNERS // of which the installed compiler does not know
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_ray_tracing_position_fetch"], capabilities = [5391], id = 5340)
vec3[3] corners_of(spirv_by_reference rayQueryEXT query, int committed);
#endif

layout(local_size_x = 64) in;

struct Ray {
    vec3 origin;
    float least;
    vec3 direction;
    float most;
};

struct Hit {
    uint kind; // 0: none, 1: a triangle, 2: a sphere
    uint primitive;
    uint geometry;
    uint instance; // its custom index
    float distance;
    float u, v;
    uint front;
};

layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 2) writeonly buffer Hits { Hit hits[]; };
layout(set = 0, binding = 3) readonly buffer Spheres { vec4 spheres[]; };
layout(push_constant) uniform Push { uint count, flags, mask, accept; };

// The nearer meeting with a sphere of the box, or a negative number.
float sphere(vec3 origin, vec3 direction, vec4 s)
{
    const vec3 to = origin - s.xyz;
    const float a = dot(direction, direction), b = dot(to, direction), c = dot(to, to) - s.w * s.w, d = b * b - a * c;
    return d < 0 ? -1 : (-b - sqrt(d)) / a;
}

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, flags, mask, rays[i].origin, rays[i].least, rays[i].direction, rays[i].most);
    vec3 corner = vec3(-1);
    while (rayQueryProceedEXT(query)) {
        if (rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionTriangleEXT) {
#ifdef CORNERS
            const vec3 corners[3] = corners_of(query, 0);
            corner = corners[i % 3];
#endif
            if (rayQueryGetIntersectionPrimitiveIndexEXT(query, false) % accept == 0)
                rayQueryConfirmIntersectionEXT(query);
        } else {
            const float t = sphere(rayQueryGetIntersectionObjectRayOriginEXT(query, false),
                                   rayQueryGetIntersectionObjectRayDirectionEXT(query, false),
                                   spheres[rayQueryGetIntersectionPrimitiveIndexEXT(query, false)]);
            if (t >= rayQueryGetRayTMinEXT(query) &&
                (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT ||
                 t < rayQueryGetIntersectionTEXT(query, true)) && t <= rays[i].most)
                rayQueryGenerateIntersectionEXT(query, t);
        }
    }
    const uint kind = rayQueryGetIntersectionTypeEXT(query, true);
    Hit hit = Hit(kind, 0, 0, 0, 0, 0, 0, 0);
    if (kind != gl_RayQueryCommittedIntersectionNoneEXT) {
        hit.primitive = rayQueryGetIntersectionPrimitiveIndexEXT(query, true);
        hit.geometry = rayQueryGetIntersectionGeometryIndexEXT(query, true);
        hit.instance = rayQueryGetIntersectionInstanceCustomIndexEXT(query, true);
        hit.distance = rayQueryGetIntersectionTEXT(query, true);
    }
    if (kind == gl_RayQueryCommittedIntersectionTriangleEXT) {
        const vec2 weights = rayQueryGetIntersectionBarycentricsEXT(query, true);
        hit.u = weights.x;
        hit.v = weights.y;
        hit.front = uint(rayQueryGetIntersectionFrontFaceEXT(query, true));
#ifdef CORNERS
        if ((flags & gl_RayFlagsNoOpaqueEXT) == 0) {
            const vec3 corners[3] = corners_of(query, 1);
            corner = corners[i % 3];
        }
        hit.distance = corner.x;
        hit.u = corner.y;
        hit.v = corner.z;
#endif
    }
    hits[i] = hit;
}
