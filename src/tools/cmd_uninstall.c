/* tuff uninstall: removes what `tuff install` listed, and nothing else. */
#include <string.h>
#include <unistd.h>

#include "tools/installation.h"

static int remove_all(const struct installation *place, const struct record *record)
{
    unsigned count;
    const char *stays = "";
    int error = -record_remove(record, &count, &stays);
    if (error) {
        tool_error(&tool_uninstall, "cannot remove '%s': %s", stays, strerror(error));
        return TOOL_FAILED;
    }
    printf("removed %u files that %s named\n", count, place->list);
    return tool_finish_output(&tool_uninstall);
}

/* The list goes last: as long as a file stays, it says so. */
static int remove_listed(const struct installation *place)
{
    struct record record;
    int error = -record_read(&record, place->list);
    if (error) {
        tool_error(&tool_uninstall, "cannot read '%s', the list of what was installed: %s", place->list,
                   strerror(error));
        return TOOL_FAILED;
    }
    int failed = TOOL_FAILED;
    if (record.files.count == 0)
        tool_error(&tool_uninstall, "`tuff install` put nothing here: there is no '%s'%s", place->list,
                   place->is_user ? "" : "; --user looks in ~/.local");
    else
        failed = remove_all(place, &record);
    record_finish(&record);
    return failed;
}

int tool_uninstall_run(const struct tool_line *line)
{
    const char *prefix = line->values[TOOL_UNINSTALL_PREFIX], *user = line->values[TOOL_UNINSTALL_USER];
    struct installation place;
    if (!user && !prefix && installation_own(&place))
        return remove_listed(&place);
    int failed = installation_place(&place, &tool_uninstall, user != NULL, prefix);
    return failed ? failed : remove_listed(&place);
}
