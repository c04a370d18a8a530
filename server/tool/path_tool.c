/*
 * terrane path: a part of terrane-analyze, which knows by the name it is called by what it is to do.
 */
#include "tool.h"

int path_command(int argc, char **argv)
{
    (void)argc;
    return tool_hand_over(argv);
}
