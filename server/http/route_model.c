/*
 * /model: what stands on ground, as glTF. Grown and coded here and now, since that is a fraction of a millisecond; the bytes make
 * the ETag. It costs a token as a document does.
 */
#include <stdlib.h>

#include "../encode/coding.h"
#include "../encode/glb.h"
#include "guard.h"

enum MHD_Result route_model(struct request *request)
{
    const struct target *target = &request->target;
    unsigned char *data = NULL;
    size_t bytes;
    char etag[36];
    enum MHD_Result result;
    const bool asks = request_header(request, "If-None-Match") != NULL; /* whether it may cost nothing */
    if (!asks && guard_take(request, BUCKET_TILES, 1, &result))
        return result;
    if (encode_model_glb(target->model, target->model_seed, &data, &bytes) != 0)
        return MHD_NO;
    request->vary_coding = request->service->compression;
    enum tile_coding coding = request->vary_coding ? request_coding(request) : CODING_IDENTITY;
    coding = coding_apply_over(coding, &data, &bytes);
    etag_of(etag, data, bytes, 0);
    const bool known = request_knows(request, etag);
    if (!known && (!asks || !guard_take(request, BUCKET_TILES, 1, &result)))
        return reply_typed(request, reply_coded_as(request, data, bytes, coding), format_row[FORMAT_GLB].type,
                           etag);
    free(data);
    return known ? reply_not_modified(request, etag) : result;
}
