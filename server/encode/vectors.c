/*
 * The layers of a vector tile.
 */
#include "vectors.h"
#include "../base/json_text.h"

const struct vector_row vector_row[VECTORS] = {
    [VECTOR_ZONE] = {"zone", "areas of the recipe's zones", {{"zone", "Number"}, {"name", "String"}}},
    [VECTOR_WATER] = {"water",
                      "areas of water: ocean, lake or river; lake is the id of one that has a name",
                      {{"class", "String"}, {"lake", "String"}, {"name", "String"}}},
    [VECTOR_CONTOUR] = {"contour",
                        "lines of equal height, in metres; level 1: every fifth",
                        {{"ele", "Number"}, {"level", "Number"}}},
    [VECTOR_RIVER] =
        {"river",
         "lines of rivers: river is the id of all that has its name; discharge in m3/s, width in metres",
         {{"id", "String"},
          {"name", "String"},
          {"river", "String"},
          {"order", "Number"},
          {"discharge", "Number"},
          {"width", "Number"}}},
    [VECTOR_PATH] = {"path",
                     "lines of paths: trunk, lane or path, over land, ford or bridge; width in metres",
                     {{"id", "String"}, {"class", "String"}, {"over", "String"}, {"width", "Number"}}},
    [VECTOR_LABEL] =
        {"label",
         "what has a name: town, village, river, lake, sea, bay, cape, island, bank, range, peak or "
         "tract; the lower its rank, the further away it is seen; ele of peaks, metres; angle of "
         "rivers and ranges, degrees clockwise; zone of tracts",
         {{"id", "String"},
          {"name", "String"},
          {"kind", "String"},
          {"rank", "Number"},
          {"ele", "Number"},
          {"angle", "Number"},
          {"zone", "String"}}},
};

json_t *vector_layers(void)
{
    json_t *layers = json_array();
    for (int k = 0; k < VECTORS && layers; k++) {
        const struct vector_row *row = &vector_row[k];
        json_t *fields = json_object();
        for (int i = 0; i < VECTOR_FIELDS && row->field[i].name && fields; i++)
            json_put(&fields, row->field[i].name, json_string(row->field[i].type));
        json_append(&layers, json_pack("{s:s, s:s, s:o}", "id", row->name, "description", row->description,
                                       "fields", fields));
    }
    return layers;
}
