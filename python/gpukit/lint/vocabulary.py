"""torch names that the rules know: factories, operations, dtypes."""

from __future__ import annotations

FACTORIES = frozenset(
    """
    FloatTensor Tensor arange as_tensor empty eye from_numpy full linspace normal ones rand
    randint randn randperm tensor zeros
    """.split()  # noqa: SIM905
)

LIKE = frozenset(
    """
    empty_like full_like ones_like rand_like randn_like zeros_like
    """.split()  # noqa: SIM905
)

NOT_TENSORS = frozenset(
    """
    Generator Size autocast compile device dtype enable_grad get_num_threads inference_mode
    is_available is_floating_point is_grad_enabled is_tensor load manual_seed no_grad numel
    save set_default_device set_grad_enabled set_num_threads set_printoptions
    """.split()  # noqa: SIM905
)

SHAPERS = frozenset(
    """
    T abs add addmm argmax bmm clamp clone contiguous detach div dot exp expand flatten float
    log mH mT matmul max mean min mm mul norm permute pow relu repeat reshape round sigmoid
    softmax sqrt square squeeze std sub sum t tanh transpose unsqueeze var view
    """.split()  # noqa: SIM905
)

HALVES = frozenset(
    """
    float16 half
    """.split()  # noqa: SIM905
)

DTYPES = frozenset(
    """
    bfloat16 bool double float float16 float32 float64 half int32 int64 long
    """.split()  # noqa: SIM905
)

HEAVY = frozenset(
    """
    add addmm bmm conv2d cos dot einsum exp fft log_softmax matmul mean mm mul mv norm relu
    sigmoid sin softmax sort sqrt sum tanh
    """.split()  # noqa: SIM905
)

# Layers without parameters and buffers, which are on no device.
BARE_LAYERS = frozenset(
    """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d CELU ChannelShuffle
    CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d
    CosineSimilarity CrossMapLRN2d DataParallel Dropout Dropout1d Dropout2d Dropout3d ELU
    FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU
    Hardshrink Hardsigmoid Hardswish Hardtanh Identity InstanceNorm1d InstanceNorm2d
    InstanceNorm3d LPPool1d LPPool2d LPPool3d LeakyReLU LocalResponseNorm LogSigmoid
    LogSoftmax MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish
    NLLLoss2d PairwiseDistance PixelShuffle PixelUnshuffle RReLU ReLU ReLU6 ReflectionPad1d
    ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU
    SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink
    Threshold Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d
    ZeroPad3d
    """.split()  # noqa: SIM905
)
