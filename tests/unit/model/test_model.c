/* Models that there are not. Those that there are: tests/golden, tests/http/test_models.py. */
#include "../unit.h"

#include "../../../lib/model/grammar.h"

TEST(there_are_no_other_models_and_seeds)
{
    static const int other[][2] = {{-1, 0}, {TERRANE_MODELS, 0}, {0, -1}, {0, TERRANE_MODEL_SEEDS}};
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        struct terrane_model_mesh mesh = {.vertices = 7};
        assert_int_equal(terrane_model_mesh(other[k][0], other[k][1], &mesh), TERRANE_EMODEL);
        assert_int_equal(mesh.vertices, 7);
    }
}

GROUP(model);
