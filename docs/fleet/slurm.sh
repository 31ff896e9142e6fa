#!/bin/sh
#SBATCH --nodes=8 --ntasks-per-node=1 --exclusive --time=12:00:00
srun sh -c 'WHYFAST_HOME=/tmp/whyfast-$USER exec whyfast worker 192.0.2.1:8786 \
    --name "$SLURMD_NODENAME" --certificates "$HOME/fleet"'
