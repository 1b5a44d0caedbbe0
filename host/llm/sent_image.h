#pragma once
// A picture made ready to be sent: encoded as small as it can be without harm, and hashed for cassettes. Runs on the
// pool.

#include "host/error.h"
#include "host/image/picture.h"
#include "host/llm/conversation.h"

namespace qa {

/// PNG, as it came or packed anew; JPEG where that has less than half the bytes, which photographs and gradients have
/// and flat scenes do not. Text stays readable: quality 92 with full colour resolution. image_decode as Picture::image.
Result<SentImage> sent_image(const Picture& picture);

}  // namespace qa
