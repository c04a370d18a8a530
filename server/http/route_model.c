/*
 * /model: what stands on ground, as glTF. Grown and coded here and now, since that is a fraction of a millisecond; the bytes make
 * the ETag. It costs a token as a document does.
 */
#include <stdlib.h>
#include <xxhash.h>

#include "../encode/coding.h"
#include "../encode/glb.h"
#include "guard.h"

/* Codes the bytes where that is asked for and pays. false: memory is short. */
static bool code(struct request *request, enum tile_coding *coding, unsigned char **data, size_t *bytes)
{
    bool paid = false;
    size_t coded_bytes = 0;
    *coding = CODING_IDENTITY;
    request->vary_coding = request->service->compression;
    const enum tile_coding wanted =
        request->vary_coding ? accept_coding(request_header(request, "Accept-Encoding")) : CODING_IDENTITY;
    if (wanted == CODING_IDENTITY)
        return true;
    struct encoder *encoder = encoder_create();
    if (!encoder)
        return false;
    unsigned char *coded = coding_apply(encoder, wanted, *data, *bytes, &coded_bytes, &paid);
    encoder_free(encoder);
    if (!coded)
        return !paid;
    free(*data);
    *data = coded;
    *bytes = coded_bytes;
    *coding = wanted;
    return true;
}

/* Takes the bytes. */
static enum MHD_Result send_model(struct request *request, enum tile_coding coding, unsigned char *data,
                                  size_t bytes, const char *etag)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(bytes, data, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(data);
        return MHD_NO;
    }
    if (coding != CODING_IDENTITY &&
        MHD_add_response_header(response, "Content-Encoding", tile_coding_name[coding]) != MHD_YES) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    request->body_bytes = bytes;
    return reply_typed(request, response, format_row[FORMAT_GLB].type, etag);
}

enum MHD_Result route_model(struct request *request)
{
    const struct target *target = &request->target;
    unsigned char *data = NULL;
    size_t bytes;
    char etag[36];
    enum tile_coding coding;
    enum MHD_Result result;
    if (guard_take(request, BUCKET_TILES, 1, &result))
        return result;
    if (encode_model_glb(target->model, target->model_seed, &data, &bytes) != 0 ||
        !code(request, &coding, &data, &bytes)) {
        free(data);
        return MHD_NO;
    }
    const XXH128_hash_t hash = XXH3_128bits(data, bytes);
    etag_write(etag, &(struct digest){.low = hash.low64, .high = hash.high64});
    if (!request_knows(request, etag))
        return send_model(request, coding, data, bytes, etag);
    free(data);
    return reply_not_modified(request, etag);
}
