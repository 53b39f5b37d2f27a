/* image_bvh_intersect_ray and image_bvh64_intersect_ray: each lane has a ray and a node of a tree, and learns where the
 * ray meets the node. The way through the tree is the shader's. A node's number is a place in units of 64 bytes above
 * three bits of its kind:
 *
 *   0, 1  two triangles of five vertices: (0, 1, 2) and (1, 3, 2); dword 15 has for each which of its corners the
 *         returned weights belong to
 *   4, 5  four boxes in halves (64 bytes) or floats (128 bytes), after the numbers of the four children
 *   6, 7  the shader's own: nothing is read, all bits are returned
 *
 * Two more kinds of triangles, and what a node beyond the end of the tree is, are not published: such lanes stop. */
#include "amd/model/texture/ta.h"

#include <math.h>
#include <string.h>

#include "amd/hw/descriptors.h"
#include "util/bits.h"
#include "util/half.h"

enum node_kind {
    NODE_TRIANGLE_0 = 0,
    NODE_TRIANGLE_1 = 1,
    NODE_TRIANGLE_3 = 3,
    NODE_BOXES_HALF = 4,
    NODE_BOXES_FLOAT = 5,
    NODE_KINDS = 8,
};

#define NODE_UNIT_B 64
#define NODE_CHILDREN 4
#define NODE_NONE UINT32_MAX /* in place of a child that the ray misses */
#define BVH_TYPE 8           /* of a descriptor */

struct ray {
    float extent, origin[3], direction[3], inverse[3];
};

struct box {
    float low[3], high[3];
};

/* Words of an address: node (one or two), extent, origin, direction, inverse direction; the last six may be halves. */
static void take_ray(struct ray *ray, const struct sq_wave *wave, const struct isa_inst *inst, unsigned word,
                     unsigned lane)
{
    uint32_t bits[10];
    unsigned plain = inst->mem.a16 ? 4 : 10;
    for (unsigned n = 0; n < plain; n++)
        bits[n] = ta_address_row(wave, inst, word + n)[lane];
    for (unsigned n = plain; n < 10; n++) {
        uint32_t pair = ta_address_row(wave, inst, word + plain + (n - plain) / 2)[lane];
        bits[n] = float_bits(half_to_float((uint16_t)(pair >> (n - plain) % 2 * 16)));
    }
    memcpy(ray, bits, sizeof(bits));
}

/* ---- boxes ---- */

static void take_boxes(struct box boxes[NODE_CHILDREN], const uint8_t *node, enum node_kind kind)
{
    uint16_t halves[NODE_CHILDREN * 6];
    if (kind == NODE_BOXES_FLOAT) {
        memcpy(boxes, node + NODE_CHILDREN * 4, NODE_CHILDREN * sizeof(*boxes));
        return;
    }
    memcpy(halves, node + NODE_CHILDREN * 4, sizeof(halves));
    for (unsigned n = 0; n < NODE_CHILDREN; n++) {
        for (unsigned axis = 0; axis < 3; axis++) {
            boxes[n].low[axis] = half_to_float(halves[n * 6 + axis]);
            boxes[n].high[axis] = half_to_float(halves[n * 6 + 3 + axis]);
        }
    }
}

/* Where the ray enters the box. An axis along which it does not move, from a place on the box's side, says nothing (the
 * product is not a number); where no axis says anything there is no hit. A small box and rounding may make both ends
 * one: that is a hit. */
static bool meets_box(const struct ray *ray, const struct box *box, unsigned grow, float *entry_out)
{
    float entry = NAN, leave = NAN;
    for (unsigned axis = 0; axis < 3; axis++) {
        float low = (box->low[axis] - ray->origin[axis]) * ray->inverse[axis],
              high = (box->high[axis] - ray->origin[axis]) * ray->inverse[axis];
        bool is_forward = ray->inverse[axis] >= 0;
        entry = fmaxf(entry, is_forward ? low : high);
        leave = fminf(leave, is_forward ? high : low);
    }
    if (isnan(entry) || isnan(leave))
        return false;
    entry = fmaxf(entry, 0);
    leave = fminf(leave, ray->extent);
    *entry_out = entry;
    return entry <= leave * (1 + (float)grow * 0x1p-24f);
}

struct child {
    uint32_t node;
    float entry;
};

/* Nearer ones first, those that are missed last; what is equal keeps the order of the hardware's network. */
static void order_children(struct child *a, struct child *b)
{
    if (a->node == NODE_NONE || (b->node != NODE_NONE && b->entry < a->entry)) {
        struct child c = *a;
        *a = *b;
        *b = c;
    }
}

static void test_boxes(uint32_t out[4], const struct ray *ray, const uint8_t *node, enum node_kind kind,
                       const struct amd_desc_BVH *bvh)
{
    struct box boxes[NODE_CHILDREN];
    struct child children[NODE_CHILDREN];
    uint32_t numbers[NODE_CHILDREN];
    memcpy(numbers, node, sizeof(numbers));
    take_boxes(boxes, node, kind);
    for (unsigned n = 0; n < NODE_CHILDREN; n++) {
        children[n].entry = 0;
        bool hit = meets_box(ray, &boxes[n], bvh->BOX_GROW, &children[n].entry);
        children[n].node = hit ? numbers[n] : NODE_NONE;
    }
    if (bvh->BOX_SORT_EN) {
        static const uint8_t network[][2] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};
        for (unsigned n = 0; n < sizeof(network) / sizeof(network[0]); n++)
            order_children(&children[network[n][0]], &children[network[n][1]]);
    }
    for (unsigned n = 0; n < NODE_CHILDREN; n++)
        out[n] = children[n].node;
}

/* ---- triangles ---- */

struct point {
    float x, y;   /* across the ray */
    double along; /* distance from the origin on the axis along which the ray goes most */
};

/* The axis along which the ray goes most, and the other two behind it. */
static void order_axes(unsigned axes[3], const struct ray *ray)
{
    unsigned most = 0;
    for (unsigned n = 1; n < 3; n++) {
        if (fabsf(ray->direction[n]) > fabsf(ray->direction[most]))
            most = n;
    }
    for (unsigned n = 0; n < 3; n++)
        axes[n] = (most + 1 + n) % 3;
}

/* A corner in a space whose middle is the ray. It depends on the ray and the corner alone, so that all triangles with
 * this corner see it in one place. */
static struct point place_corner(const struct ray *ray, const unsigned axes[3], const float corner[3])
{
    double along = (double)corner[axes[2]] - ray->origin[axes[2]], share = along / ray->direction[axes[2]];
    return (struct point){
        .x = (float)((double)corner[axes[0]] - ray->origin[axes[0]] - share * ray->direction[axes[0]]),
        .y = (float)((double)corner[axes[1]] - ray->origin[axes[1]] - share * ray->direction[axes[1]]),
        .along = along,
    };
}

/* On which side of the line from one point to another the ray passes. Products of floats are exact in double: the sign
 * is right, and the other triangle of an edge gets the same number with the other sign. */
static double side(const struct point *from, const struct point *to)
{
    return (double)from->x * to->y - (double)from->y * to->x;
}

/* Whose a ray is that passes through an edge: of two triangles on both sides of it exactly one has it in its turn. */
static bool has_edge(const struct point *from, const struct point *to)
{
    return to->y > from->y || (to->y == from->y && to->x > from->x);
}

/* sides[n] is that of the edge across from corner n. */
static bool is_inside(const double sides[3], const struct point points[3])
{
    bool is_left = sides[0] > 0 || sides[1] > 0 || sides[2] > 0,
         is_right = sides[0] < 0 || sides[1] < 0 || sides[2] < 0;
    if (is_left == is_right)
        return false;
    for (unsigned n = 0; n < 3; n++) {
        const struct point *from = &points[(n + 1) % 3], *to = &points[(n + 2) % 3];
        bool is_on_it = !(sides[n] < 0 || sides[n] > 0);
        if (is_on_it && !(is_left ? has_edge(from, to) : has_edge(to, from)))
            return false;
    }
    return true;
}

/* The distance and the weights of two corners, all times one number that is returned with them: dividing is the
 * shader's. A miss is an infinite distance. What is published says no more of edges than that a ray does not slip
 * between two triangles. */
static void test_triangle(uint32_t out[4], const struct ray *ray, const uint8_t *node, enum node_kind kind,
                          const struct amd_desc_BVH *bvh)
{
    static const uint8_t corners[2][3] = {{0, 1, 2}, {1, 3, 2}};
    float vertices[5][3];
    struct point points[3];
    double sides[3], distance = 0, scale = 0;
    unsigned axes[3];
    uint32_t id;
    memcpy(vertices, node, sizeof(vertices));
    memcpy(&id, node + sizeof(vertices), sizeof(id));
    order_axes(axes, ray);
    for (unsigned n = 0; n < 3; n++)
        points[n] = place_corner(ray, axes, vertices[corners[kind][n]]);
    for (unsigned n = 0; n < 3; n++) {
        sides[n] = side(&points[(n + 1) % 3], &points[(n + 2) % 3]);
        distance -= sides[n] * points[n].along;
        scale -= sides[n] * ray->direction[axes[2]];
    }
    bool hit = is_inside(sides, points) && distance / scale >= 0;
    out[0] = float_bits(hit ? (float)distance : INFINITY);
    out[1] = float_bits(hit ? (float)scale : 1);
    if (!bvh->TRIANGLE_RETURN_MODE) {
        out[2] = id;
        out[3] = hit;
        return;
    }
    float weights[4] = {0};
    for (unsigned n = 0; n < 3; n++)
        weights[n] = (float)(-sides[n] * ray->direction[axes[2]]);
    unsigned rotation = id >> kind * 8;
    out[2] = float_bits(weights[rotation & 3]);
    out[3] = float_bits(weights[rotation >> 2 & 3]);
}

/* ---- the instruction ---- */

/* How many bytes of memory a kind has; 0: it is the shader's own. */
static const uint8_t sizes_B[NODE_KINDS] = {[NODE_TRIANGLE_0] = 64, [NODE_TRIANGLE_1] = 64, [2] = 64,
                                            [NODE_TRIANGLE_3] = 64, [NODE_BOXES_HALF] = 64, [NODE_BOXES_FLOAT] = 128};

static const char *problem_of(const struct amd_desc_BVH *bvh, enum node_kind kind, uint64_t unit)
{
    if (bvh->TYPE != BVH_TYPE)
        return "a ray with a descriptor that is none of a BVH";
    if (kind > NODE_TRIANGLE_1 && kind <= NODE_TRIANGLE_3)
        return "a triangle of a BVH of a kind that is not implemented";
    if (sizes_B[kind] && unit + sizes_B[kind] / NODE_UNIT_B - 1 > bvh->SIZE)
        return "a node beyond the end of its BVH is not implemented";
    return NULL;
}

static bool test_node(uint32_t out[4], struct sq_wave *wave, const struct sq_uop *uop, const struct amd_desc_BVH *bvh,
                      uint64_t number, const struct ray *ray)
{
    enum node_kind kind = number % NODE_KINDS;
    uint64_t unit = number / NODE_KINDS;
    const char *problem = problem_of(bvh, kind, unit);
    uint8_t *node;
    if (problem) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, problem);
        return false;
    }
    if (!sizes_B[kind]) {
        memset(out, 0xff, 4 * sizeof(*out));
        return true;
    }
    uint64_t va = (uint64_t)bits_sign_extend(((uint64_t)bvh->BASE_ADDRESS << 8) + unit * NODE_UNIT_B, 48);
    sq_note(wave, uop, va, sizes_B[kind], GPU_PERM_READ);
    if (!sq_resolve(wave, uop, va, sizes_B[kind], GPU_PERM_READ, &node))
        return false;
    static const uint8_t nothing[128]; /* memory that is not resident reads as zero */
    const uint8_t *bytes = node ? node : nothing;
    if (kind <= NODE_TRIANGLE_3)
        test_triangle(out, ray, bytes, kind, bvh);
    else
        test_boxes(out, ray, bytes, kind, bvh);
    return true;
}

static __attribute__((noinline)) void intersect(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_inst *inst = uop->inst;
    unsigned words = isa_info(inst->op)->properties & ISA_PROP_BVH64 ? 2 : 1;
    struct amd_desc_BVH bvh = amd_unpack_desc_BVH(AMD_GFX10_3, sq_at(wave, uop->s[1]));
    /* The result may be in the registers of the address. */
    uint32_t results[4][LANES_MAX];
    uint64_t exec = sq_exec(wave);
    bits_foreach (exec, lane) {
        struct ray ray;
        uint32_t out[4];
        uint64_t number = ta_address_row(wave, inst, 0)[lane];
        if (words == 2)
            number |= (uint64_t)ta_address_row(wave, inst, 1)[lane] << 32;
        take_ray(&ray, wave, inst, words, lane);
        if (!test_node(out, wave, uop, &bvh, number, &ray))
            return;
        for (unsigned n = 0; n < 4; n++)
            results[n][lane] = out[n];
    }
    uint32_t *rows = sq_at(wave, uop->d);
    bits_foreach (exec, lane) {
        for (unsigned n = 0; n < 4; n++)
            rows[n * wave->lanes + lane] = results[n][lane];
    }
}

void amd_ta_ray(struct sq_wave *wave, const struct sq_uop *uop)
{
    ta_env_enter(wave);
    intersect(wave, uop);
    ta_env_leave(wave);
}
