/* Buffers with a descriptor, accessed in dwords: the usual case of loads and stores, without the texture unit. A
 * descriptor's bytes are found once and kept until a mapping changes. */
#include "adreno/model/sp/memory.h"
#include "adreno/model/sp/sp.h"

/* The host's memory of a buffer; NULL: not a buffer, or not all of it can be accessed so. */
const struct sp_view *adreno_sp_view(struct adreno_wave *wave, const uint32_t *words, unsigned need)
{
    struct adreno_sp *sp = wave->sp;
    if (sp->coherence)
        return NULL; /* lane by lane */
    const uint32_t mixed = (words[4] ^ words[1] * 0x85ebca6bu ^ words[0] * 0xc2b2ae35u ^ need) * 0x9e3779b1u;
    struct sp_view *view = &sp->views[mixed >> (32 - SP_VIEWS_LOG2)];
    if (view->need == need && memcmp(view->words, words, sizeof(view->words)) == 0 &&
        view->changes == gpu_space_changes(sp->memory, view->va))
        return view->host ? view : NULL;
    struct tpl1_buffer buffer;
    if (!adreno_tpl1_buffer(sp->tpl1, &sp->tpl1_state, words, &buffer))
        return NULL;
    *view = (struct sp_view){.need = need, .va = buffer.va, .changes = gpu_space_changes(sp->memory, buffer.va)};
    memcpy(view->words, words, sizeof(view->words));
    if (buffer.size_B && buffer.size_B <= UINT32_MAX && buffer.va % 4 == 0)
        view->host = gpu_space_whole(sp->memory, buffer.va, buffer.size_B, need);
    view->count = (uint32_t)(buffer.size_B / 4);
    view->is_plain = buffer.is_dwords;
    return view->host ? view : NULL;
}

/* Whether all lanes of the wave access dwords that follow each other, inside. */
static bool is_run(const struct adreno_wave *wave, const uint32_t *index, uint32_t first, uint32_t count)
{
    uint32_t wrong = 0;
    for (unsigned i = 0; i < wave->lanes; i++)
        wrong |= index[i] ^ (index[0] + i);
    return !wrong && first < count && count - first >= wave->lanes;
}

bool adreno_sp_buffer_load(struct adreno_wave *wave, const struct sp_uop *uop, const struct sp_dword_access *load)
{
    const uint32_t *words = adreno_sp_descriptor(wave, uop, load->kind, load->base, load->descriptor);
    const struct sp_view *view = words ? adreno_sp_view(wave, words, GPU_PERM_READ) : NULL;
    if (!view || (load->needs_plain && !view->is_plain))
        return false;
    const unsigned wrmask = load->wrmask;
    const uint32_t *from = view->host, count = view->count, offset = load->offset;
    uint32_t *rows[4], kept[ADRENO_WAVE_LANES_MAX];
    memcpy(kept, adreno_wave_row(wave, load->index), wave->lanes * 4); /* a destination may be the same register */
    for (unsigned n = 0; n < 4; n++)
        rows[n] = adreno_wave_row(wave, (load->data + n) & 0xff);
    if (wrmask == 1 && wave->is_full && is_run(wave, kept, kept[0] + offset, count)) {
        memcpy(rows[0], from + kept[0] + offset, wave->lanes * 4);
        return true;
    }
    for (unsigned n = 0; n < 4; n++) {
        if (!(wrmask >> n & 1))
            continue;
        if (wave->is_full) {
            for (unsigned i = 0; i < wave->lanes; i++) {
                const uint32_t at = kept[i] + offset + n;
                rows[n][i] = at < count ? from[at] : 0;
            }
            continue;
        }
        lane_mask_foreach(wave->active, i)
        {
            const uint32_t at = kept[i] + offset + n;
            rows[n][i] = at < count ? from[at] : 0;
        }
    }
    return true;
}

bool adreno_sp_buffer_store(struct adreno_wave *wave, const struct sp_uop *uop, const struct sp_dword_access *store)
{
    const uint32_t *words = adreno_sp_descriptor(wave, uop, store->kind, store->base, store->descriptor);
    const struct sp_view *view = words ? adreno_sp_view(wave, words, GPU_PERM_WRITE) : NULL;
    if (!view)
        return false;
    uint32_t *to = view->host;
    const uint32_t *index = adreno_wave_row(wave, store->index);
    const uint32_t count = view->count, offset = store->offset,
                   components = (uint32_t)__builtin_popcount(store->wrmask);
    const uint32_t *rows[4];
    for (unsigned n = 0; n < 4; n++)
        rows[n] = adreno_wave_row(wave, (store->data + n) & 0xff);
    const struct lane_mask writers = sp_writers(wave);
    if (components == 1 && lane_mask_equal(writers, adreno_wave_all(wave)) &&
        is_run(wave, index, index[0] + offset, count)) {
        memcpy(to + index[0] + offset, rows[0], wave->lanes * 4);
        return true;
    }
    lane_mask_foreach(writers, i)
    {
        for (unsigned n = 0; n < components; n++) {
            const uint32_t at = index[i] + offset + n;
            if (at < count)
                to[at] = rows[n][i];
        }
    }
    return true;
}
