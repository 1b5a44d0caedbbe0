#pragma once
// The files of a folder that we serve, on a tape: the first time that one is asked for, it is copied to the tape, and
// given from there from then on. So a run sees one build of a game, whatever happens to the folder meanwhile.

#include <memory>

#include "host/browser/tape.h"
#include "host/net/static_files.h"

namespace qa {

void put_on_tape(StaticFiles& files, std::shared_ptr<Tape> tape);

}  // namespace qa
