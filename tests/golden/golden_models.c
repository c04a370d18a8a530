/*
 * Golden digests of models. golden.c has the rest.
 */
#include "../../lib/terrane_features.h"
#include "golden.h"

void models(void)
{
    for (int model = 0; model < (int)TERRANE_MODELS; model++) {
        struct terrane_model_mesh mesh = {
            .vertex = lend(TERRANE_MODEL_VERTICES_MAX * 3 * sizeof *mesh.vertex),
            .normal = lend(TERRANE_MODEL_VERTICES_MAX * 3 * sizeof *mesh.normal),
            .colour = lend(TERRANE_MODEL_VERTICES_MAX * 4),
            .index = lend(TERRANE_MODEL_TRIANGLES_MAX * 3 * sizeof *mesh.index),
        };
        for (int seed = 0; seed < TERRANE_MODEL_SEEDS; seed++) {
            need(terrane_model_mesh(model, seed, &mesh) == 0, "a model");
            put_floats(mesh.vertex, 3 * (size_t)mesh.vertices);
            put_floats(mesh.normal, 3 * (size_t)mesh.vertices);
            put_octets(mesh.colour, 4 * (size_t)mesh.vertices);
            for (int k = 0; k < 3 * mesh.triangles; k++)
                put(mesh.index[k], 2);
        }
        print_as("model %s", terrane_model_name[model]);
    }
}
