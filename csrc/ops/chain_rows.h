// Chains over the same rows, of which later ones read what earlier ones have made of a row: a
// softmax written out, a normalization. A device may run them block by block of rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/chain.h"

namespace gpukit::ops {

/// One chain. What the stages make is numbered from 0 on: results, then reductions, of each.
struct RowStage {
  ChainProgram program;
  std::vector<int> sources;  ///< of its inputs: the number of a tensor, or -1 - that of a value
  std::vector<int> kept;     ///< of what it makes: not 0 where it is given to the caller
};

/// What is kept, in order. Nothing where the device or these inputs take stage by stage.
std::optional<std::vector<Tensor>> run_chain_rows(std::span<const RowStage> stages,
                                                  std::span<const Tensor> inputs);

}  // namespace gpukit::ops
